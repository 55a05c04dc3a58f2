"""Road 1: tool documents -> tools -> graph -> chains -> tasks -> rollouts -> scored trajectories -> SFT data."""

from __future__ import annotations

from typing import Literal

from astra.engine import pretty_json, write_text
from astra.exports.sft import sft_row
from astra.model import Chain, ServerDocument, Task, Tool, ToolGraph, ToolServer, Trajectory
from astra.rollout.environments.live import LiveServers
from astra.rollout.environments.opened import Opener
from astra.runs.cast import Cast
from astra.runs.run import Run
from astra.runs.sources import Gathered, Source, gather
from astra.teachers.questions import ProposedChain
from astra.trajectories.augment import AugmentRequest, augment, augment_requests, read_personas
from astra.trajectories.chains import sample_chains, verify_chain
from astra.trajectories.collect.servers import ToolDocument, assemble_server, tool_documents, tool_of
from astra.trajectories.graph import (
    GraphRequest,
    ProposalRequest,
    Proposals,
    build_graph,
    proposal_requests,
    propose,
    save_graphs,
)
from astra.trajectories.joined import crosses, join_servers
from astra.trajectories.judge import accept, agreement, judge
from astra.trajectories.rollouts import RolloutRequest, best_of, roll_out, rollout_requests
from astra.trajectories.tasks import TaskRequest, score_task, task_requests, write

Step = Literal["collect", "graph", "chains", "tasks", "rollouts", "judge", "dataset"]
STEPS: tuple[Step, ...] = ("collect", "graph", "chains", "tasks", "rollouts", "judge", "dataset")


async def make_trajectories(run: Run, cast: Cast, sources: list[Source], *, until: Step = "dataset") -> None:
    """The road's stages up to a step, each with its product file."""
    road = _Road(run, cast, sources)
    for step in STEPS[: STEPS.index(until) + 1]:
        await getattr(road, step)()


class _Road:
    """The road as far as it has been gone."""

    def __init__(self, run: Run, cast: Cast, sources: list[Source]) -> None:
        self._run = run
        self._cast = cast
        self._config = run.config
        self._sources = sources
        self._servers: dict[str, ToolServer] = {}  # by id
        self._graphs: list[ToolGraph] = []
        self._chains: list[Chain] = []
        self._tasks: list[Task] = []
        self._trajectories: list[Trajectory] = []
        self._taught = [cast.teacher.name, self._config.prompts]  # what every answer of a teacher depends on
        self._judged = [cast.judge.name if cast.judge is not None else None, self._config.prompts]

    async def collect(self) -> None:
        """Stages collect, documents, tools, servers."""
        run = self._run

        async def read(source: Source) -> Gathered:
            return await gather(source, run.config)

        async def normalise(item: ToolDocument) -> Tool:
            return tool_of(item)

        async def assemble(document: ServerDocument) -> ToolServer:
            return assemble_server(document, tools[document.id], run.config.filter)

        gathered = await run.stage("collect", read, Gathered, self._sources, concurrency=2)
        documents = _told_apart([document for one in gathered.products for document in one.documents])
        run.fell_out("documents", len(documents), [fallen for one in gathered.products for fallen in one.rejections])
        tools: dict[str, list[Tool]] = {document.id: [] for document in documents}
        items = [item for document in documents for item in tool_documents(document)]
        for item, tool in (await run.stage("tools", normalise, Tool, items)).kept:
            tools[item.server].append(tool)
        servers = (await run.stage("servers", assemble, ToolServer, documents, settings=[run.config.filter])).products
        run.write("tools.jsonl", servers)
        launches = {source.id: source.launch for source in self._sources if source.launch is not None}
        self._servers = {
            server.id: server.model_copy(update={"launch": launches[server.id]})
            if server.launch is not None
            else server
            for server in servers
        }
        joined = join_servers(list(self._servers.values()), run.config.chains.across_servers, seed=run.config.seed)
        self._servers |= {server.id: server for server in joined}

    async def graph(self) -> None:
        """Stages proposals (where chains are proposed), graph."""
        run, cast, config = self._run, self._cast, self._config.graph
        source = config.source if config.source != "auto" else "proposals" if cast.proposes else "grounded"
        proposals: dict[str, list[ProposedChain]] = {}

        async def ask(request: ProposalRequest) -> Proposals:
            return await propose(cast.teacher, request, language=run.config.tasks.language, seed=run.config.seed)

        async def link(request: GraphRequest) -> ToolGraph:
            return await build_graph(request, None if source == "proposals" else cast.grounded)

        if source != "grounded":
            requests = proposal_requests(self._servers.values(), config)
            settings = [*self._taught, run.config.tasks.language]
            made = await run.stage(
                "proposals", ask, Proposals, requests, concurrency=cast.concurrency, settings=settings
            )
            for one in made.products:
                proposals.setdefault(one.server, []).extend(one.proposals)
        items = [
            GraphRequest(id=name, server=server, proposals=tuple(proposals.get(name, ())))
            for name, server in self._servers.items()
        ]
        self._graphs = (await run.stage("graph", link, ToolGraph, items, settings=[source])).products
        save_graphs(run.folder / "graph.json", self._graphs)
        run.products["graph.json"] = len(self._graphs)

    async def chains(self) -> None:
        """Stage chains."""
        run, cast, config = self._run, self._cast, self._config.chains
        checks = cast.checks(config.checks)

        async def check(chain: Chain) -> Chain:
            return await verify_chain(
                self._servers[chain.server],
                chain,
                cast.teacher,
                config,
                checks=checks,
                language=run.config.tasks.language,
            )

        candidates = [
            chain
            for graph in self._graphs
            for chain in sample_chains(graph, config, seed=str(run.config.seed))
            if not self._servers[graph.server].parts or crosses(self._servers[graph.server], chain)
        ]
        settings = [checks, config.votes, config.min_votes, *self._taught]
        done = await run.stage("chains", check, Chain, candidates, concurrency=cast.concurrency, settings=settings)
        self._chains = done.products
        run.write("chains.jsonl", self._chains)

    async def tasks(self) -> None:
        """Stages tasks, augment (where it is asked for), scores."""
        run, cast, config, seed = self._run, self._cast, self._config.tasks, self._config.seed

        async def draft(request: TaskRequest) -> Task:
            return await write(cast.teacher, self._servers[request.server], request, config, seed=seed)

        async def vary(request: AugmentRequest) -> Task:
            server = self._servers[request.task.server]
            return await augment(cast.teacher, cast.judge, server, request, seed=seed)

        async def score(task: Task) -> Task:
            return await score_task(cast.judge, self._servers[task.server], task, config)

        many, spoken = cast.concurrency, [config.language, *self._taught]
        requests = task_requests(list(self._servers.values()), self._chains, config)
        tasks = (await run.stage("tasks", draft, Task, requests, concurrency=many, settings=spoken)).products
        variations = augment_requests(tasks, read_personas(config.personas), config, seed=seed)
        if variations:
            settings = [*spoken, *self._judged]
            done = await run.stage("augment", vary, Task, variations, concurrency=many, settings=settings)
            tasks = [*tasks, *done.products]
        settings = [config.thresholds, config.optional_scores, *self._judged]
        self._tasks = (await run.stage("scores", score, Task, tasks, concurrency=many, settings=settings)).products
        run.write("tasks.jsonl", self._tasks)

    async def rollouts(self) -> None:
        """Stage rollouts."""
        run, cast, config = self._run, self._cast, self._config.rollouts
        async with LiveServers() as live:
            opener = Opener(
                teacher=cast.teacher,
                live=live,
                mode=config.tools,
                by_server=config.server_tools,
                failure_rate=config.failure_rate,
                history_tokens=config.history_tokens,
            )

            async def act(request: RolloutRequest) -> Trajectory:
                task = request.task
                policy = cast.policy(task, request.sample)
                return await roll_out(
                    request, self._servers[task.server], policy, opener, config, seed=run.config.seed, user=cast.user
                )

            requests = rollout_requests(self._tasks, config)
            if any(server.launch is not None for server in self._servers.values()):
                await live.share(list(self._servers.values()))
            settings = [config.model_dump(exclude={"samples", "keep"}), cast.policy_name, *self._taught]
            done = await run.stage(
                "rollouts", act, Trajectory, requests, concurrency=cast.concurrency, settings=settings
            )
        self._trajectories = done.products

    async def judge(self) -> None:
        """Stages judge, accept, best-of (where there are several tries at a task)."""
        run, cast, config = self._run, self._cast, self._config.judge
        task_of = {task.id: task for task in self._tasks}

        async def score(trajectory: Trajectory) -> Trajectory:
            return await judge(task_of[trajectory.task], trajectory, cast.judge, config)

        async def keep(trajectory: Trajectory) -> Trajectory:
            return accept(trajectory, config)

        settings = [config.judges, config.temperature, config.hindsight, *self._judged]
        judged = (
            await run.stage(
                "judge", score, Trajectory, self._trajectories, concurrency=cast.concurrency, settings=settings
            )
        ).products
        if config.judges > 1:
            found = {name: one.model_dump(mode="json") for name, one in agreement(judged).items()}
            write_text(run.folder / "judges.json", pretty_json(found))
            run.products["judges.json"] = len(found)
        kept = (await run.stage("accept", keep, Trajectory, judged, settings=[config])).products
        if run.config.rollouts.samples > 1 and run.config.rollouts.keep == "best":
            kept, fallen = best_of(kept)
            run.fell_out("best-of", len(kept), fallen)
        self._trajectories = kept
        run.write("trajectories.jsonl", kept)

    async def dataset(self) -> None:
        """The rows that trainers take."""
        self._run.write("sft.jsonl", (sft_row(trajectory) for trajectory in self._trajectories))


def _told_apart(documents: list[ServerDocument]) -> list[ServerDocument]:
    """The same documents; a later one of an id that is taken, by another source, gets a number."""
    taken: set[str] = set()
    apart: list[ServerDocument] = []
    for document in documents:
        name, count = document.id, 1
        while name in taken:
            count += 1
            name = f"{document.id} ({count})"
        taken.add(name)
        apart.append(document.model_copy(update={"id": name}))
    return apart
