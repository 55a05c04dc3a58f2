"""Asking a model: one request, one completion, whatever happens on the way."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from astra.errors import BadInput, EndpointFailed, EndpointGone, Rejected
from astra.llm.cache import AnswerCache
from astra.llm.endpoint import NO_KEY, Endpoint
from astra.llm.pace import Pace
from astra.llm.reasoning import split_reasoning
from astra.llm.spending import Spending, Usage
from astra.model.base import JsonObject, Noun
from astra.model.canonical import canonical_json
from astra.model.messages import ToolCall

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds before a request is sent again
_FAILURES_IN_A_ROW = 12  # requests given up, with no success between them, after which an endpoint counts as gone
_PASSING = (408, 409, 425, 429)  # and every 5xx


class ChatRequest(Noun):
    """What is asked. Equal requests are one question; `sample` tells apart what is drawn anew."""

    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...] = ()
    response_format: JsonObject | None = None
    temperature: float | None = None  # None: the endpoint's
    max_tokens: int | None = None  # None: the endpoint's
    sample: int = 0


class Completion(Noun):
    """What a model said."""

    content: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"  # "length": it was cut off
    usage: Usage = Usage()


@dataclass
class ChatModel:
    """One endpoint at work: cache, limits, retries and tallies around the client.

    Raises:
        BadInput: no model is named.
    """

    endpoint: Endpoint
    role: str
    cache: AnswerCache
    spending: Spending
    shared: AnswerCache | None = None
    _in_flight: dict[str, asyncio.Task[Completion]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.endpoint.model_name:
            raise BadInput(
                f"no model is named for the {self.role}: use --model, models.{self.role}.model or OPENAI_MODEL"
            )
        self._slots = asyncio.Semaphore(self.endpoint.concurrency)
        self._requests = Pace(self.endpoint.requests_per_minute)
        self._tokens = Pace(self.endpoint.tokens_per_minute)
        self._given_up = 0  # requests in a row
        self._closing = False
        self._made: AsyncOpenAI | None = None

    @property
    def name(self) -> str:
        return self.endpoint.model_name

    async def complete(self, request: ChatRequest) -> Completion:
        """The completion: from the cache, from a twin of this request that is in flight, or paid for.

        A request that was sent is finished and kept even if who asked is gone.

        Raises:
            EndpointFailed: no usable response came, however often it was asked.
            RunStopped: the cap is reached, the key or model is refused, or the endpoint is gone.
            Rejected: `request-refused`: the endpoint takes no such request (too long a prompt, for one).
        """
        key = self._key(request)
        if (known := self._known(key)) is not None:
            self.spending.found()
            return known
        task = self._in_flight.get(key)
        if task is None:
            self.spending.check()
            task = asyncio.create_task(self._paid(key, request, self.spending.stage))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # no one may be left to ask
            self._in_flight[key] = task
        else:
            self.spending.found()
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Let what is in flight come home, then close."""
        self._closing = True
        await asyncio.gather(*self._in_flight.values(), return_exceptions=True)
        if self._made is not None:
            await self._made.close()

    def _key(self, request: ChatRequest) -> str:
        endpoint = self.endpoint
        asked = {
            "url": endpoint.url,
            "model": self.name,
            "temperature": endpoint.temperature,
            "max_tokens": endpoint.max_tokens,
            "extra": endpoint.extra,
            "request": request.model_dump(mode="json"),
        }
        return hashlib.sha256(canonical_json(asked).encode("utf-8", "surrogatepass")).hexdigest()

    def _known(self, key: str) -> Completion | None:
        if (answer := self.cache.get(key)) is not None:
            return Completion.model_validate_json(answer)
        if self.shared is not None and (answer := self.shared.get(key)) is not None:
            self.cache.put(key, answer, stage=self.spending.stage, usage=Usage(), cost=0.0)  # someone else's money
            return Completion.model_validate_json(answer)
        return None

    async def _paid(self, key: str, request: ChatRequest, stage: str) -> Completion:
        try:
            completion = await self._insisted(request)
            price = self.endpoint.price
            usage = completion.usage
            cost = price.cost(usage.prompt_tokens, usage.completion_tokens) if price is not None else 0.0
            self.spending.paid(usage, cost, stage=stage)
            for cache in (self.cache, self.shared):
                if cache is not None:
                    cache.put(key, completion.model_dump_json(), stage=stage, usage=usage, cost=cost)
            return completion
        finally:
            del self._in_flight[key]

    async def _insisted(self, request: ChatRequest) -> Completion:
        """Ask until there is a response or the tries are used up; waits grow and differ, so that crowds disperse."""
        from tenacity import AsyncRetrying, RetryError, retry_if_exception_type, stop_after_attempt

        def stop(state: Any) -> bool:
            return self._closing or stop_after_attempt(self.endpoint.tries)(state)

        try:
            async for attempt in AsyncRetrying(retry=retry_if_exception_type(_Passing), wait=_pause, stop=stop):
                with attempt:
                    completion = await self._once(request)
        except RetryError as error:
            self._given_up += 1
            last = error.last_attempt.exception()
            where = f"{self.role} ({self.name} at {self.endpoint.url})"
            if self._given_up >= _FAILURES_IN_A_ROW:
                raise EndpointGone(f"{where} has answered none of {self._given_up} requests: {last}") from None
            raise EndpointFailed(f"{where}: {self.endpoint.tries} tries failed, the last with: {last}") from None
        self._given_up = 0
        return completion

    async def _once(self, request: ChatRequest) -> Completion:
        """One request within the limits; failures sorted into those that may pass and those that won't."""
        import openai

        estimate = estimated_tokens(request)
        async with self._slots:
            await self._requests.wait()
            await self._tokens.wait(estimate)
            self.spending.check()
            try:
                completion = await self._sent(request, estimate)
            except openai.APIStatusError as error:
                said = self._without_key(error.message)
                if error.status_code in _PASSING or error.status_code >= 500:
                    raise _Passing(f"{error.status_code} {said}", _retry_after(error)) from None
                if error.status_code in (401, 403, 404):
                    raise EndpointGone(
                        f"{self.endpoint.url} refuses the {self.role}'s model {self.name}: {said}"
                    ) from None
                raise Rejected("request-refused", f"the endpoint answered {error.status_code}: {said}") from None
            except (openai.APIError, openai.OpenAIError, ValueError) as error:  # ValueError: a body that is no JSON
                raise _Passing(self._without_key(f"{type(error).__name__}: {error}")) from None
        usage = completion.usage
        self._tokens.correct(usage.prompt_tokens + usage.completion_tokens - estimate)
        return completion

    async def _sent(self, request: ChatRequest, estimate: int) -> Completion:
        endpoint = self.endpoint
        temperature = request.temperature if request.temperature is not None else endpoint.temperature
        given: dict[str, Any] = {
            "model": self.name,
            "messages": list(request.messages),
            "max_tokens": request.max_tokens or endpoint.max_tokens,
        }
        given |= {"temperature": temperature} if temperature is not None else {}
        given |= {"tools": list(request.tools)} if request.tools else {}
        given |= {"response_format": request.response_format} if request.response_format is not None else {}
        given |= {"seed": request.sample} if request.sample else {}
        given |= {"extra_body": endpoint.extra} if endpoint.extra else {}
        completions = self._client().chat.completions
        if endpoint.stream:
            async with completions.stream(**given, stream_options={"include_usage": True}) as pieces:
                answer: Any = await pieces.get_final_completion()
        else:
            answer = await completions.create(**given)
        return _completion(answer, estimate)

    def _client(self) -> AsyncOpenAI:
        if self._made is None:
            from openai import DEFAULT_CONNECTION_LIMITS, AsyncOpenAI, DefaultAsyncHttpxClient

            # As many connections are kept as requests may be in flight; the client itself would keep 100.
            most = self.endpoint.concurrency
            limits = type(DEFAULT_CONNECTION_LIMITS)(max_connections=most + 8, max_keepalive_connections=most)
            self._made = AsyncOpenAI(
                api_key=self.endpoint.key,
                base_url=self.endpoint.url,
                timeout=self.endpoint.seconds,
                max_retries=0,
                http_client=DefaultAsyncHttpxClient(limits=limits),
            )
        return self._made

    def _without_key(self, text: str) -> str:
        """No key reaches a log or an artifact, whatever the server repeats."""
        key = self.endpoint.key
        return text.replace(key, "***") if key != NO_KEY else text


class _Passing(Exception):
    """A failure that another try may not meet."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait  # seconds that the server asks for


def _pause(state: Any) -> float:
    from tenacity import wait_random_exponential

    asked = getattr(state.outcome.exception(), "wait", None)
    drawn = float(wait_random_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT)(state))
    return drawn if asked is None else min(asked, _LONGEST_WAIT) + drawn / 4


def _retry_after(error: Any) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _completion(answer: Any, estimate: int) -> Completion:
    """The client's answer as ours.

    Raises:
        ValueError: it is no chat completion.
    """
    choices = getattr(answer, "choices", None)
    if not choices or getattr(choices[0], "message", None) is None:
        raise ValueError(f"the response is no chat completion: {str(answer)[:200]!r}")
    message = choices[0].message
    said, thought = split_reasoning(message.content or "")
    apart = (message.model_extra or {}).get("reasoning_content") or (message.model_extra or {}).get("reasoning")
    calls = tuple(
        ToolCall(id=call.id or "", name=call.function.name or "", arguments=call.function.arguments or "")
        for call in message.tool_calls or ()
        if getattr(call, "function", None) is not None
    )
    usage = getattr(answer, "usage", None)
    written = len(said) + len(thought or "") + sum(len(call.arguments) for call in calls)
    return Completion(
        content=said,
        reasoning=apart if isinstance(apart, str) and apart.strip() else thought,
        tool_calls=calls,
        finish=choices[0].finish_reason or "stop",
        usage=Usage(
            prompt_tokens=usage.prompt_tokens if usage is not None else estimate,
            completion_tokens=usage.completion_tokens if usage is not None else written // 4,
        ),
    )


def estimated_tokens(request: ChatRequest) -> int:
    """Tokens of a prompt, at four bytes each."""
    return estimated(*request.messages, *request.tools)


def estimated(*values: JsonObject | str) -> int:
    """Tokens of texts and JSON values, at four bytes each."""
    texts: Sequence[str] = [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values]
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) // 4
