"""Road 1: tool documents -> tools -> graph -> chains -> tasks -> rollouts -> scored trajectories -> SFT data."""

from __future__ import annotations

from astra.engine import Stage
from astra.exports.sft import sft_row
from astra.model import Chain, ServerDocument, Task, Tool, ToolGraph, ToolServer, Trajectory
from astra.rollout.environments.live import LiveServers
from astra.runs.run import Run
from astra.runs.sources import Gathered, Source, gather
from astra.teachers.questions import Teacher
from astra.trajectories.chains import check_chain, sample_chains
from astra.trajectories.collect.servers import ToolDocument, assemble_server, tool_documents, tool_of
from astra.trajectories.graph import build_graph, save_graphs
from astra.trajectories.judge import judge
from astra.trajectories.rollouts import roll_out
from astra.trajectories.tasks import TaskRequest, task_requests, write

Servers = dict[str, ToolServer]  # by id


async def make_trajectories(run: Run, teacher: Teacher, sources: list[Source]) -> None:
    """All stages of the road, each with its product file."""
    servers = await _servers(run, sources)
    chains = await _chains(run, teacher, servers)
    tasks = await _tasks(run, teacher, servers, chains)
    trajectories = await _trajectories(run, teacher, servers, tasks)
    run.write("sft.jsonl", (sft_row(trajectory) for trajectory in trajectories))


async def _servers(run: Run, sources: list[Source]) -> Servers:
    """Stages collect, tools, servers."""

    async def collect(source: Source) -> Gathered:
        return await gather(source, run.config)

    async def normalise(item: ToolDocument) -> Tool:
        return tool_of(item)

    async def assemble(document: ServerDocument) -> ToolServer:
        return assemble_server(document, tools[document.id], run.config.filter)

    gathered = (await run.execute(Stage("collect", collect, Gathered, concurrency=2), sources)).products
    documents = _told_apart([document for one in gathered for document in one.documents])
    run.fell_out("documents", len(documents), [rejection for one in gathered for rejection in one.rejections])
    tools: dict[str, list[Tool]] = {document.id: [] for document in documents}
    items = [item for document in documents for item in tool_documents(document)]
    for item, tool in (await run.execute(Stage("tools", normalise, Tool), items)).kept:
        tools[item.server].append(tool)
    servers = (await run.execute(Stage("servers", assemble, ToolServer), documents)).products
    run.write("tools.jsonl", servers)
    launches = {source.id: source.launch for source in sources if source.launch is not None}
    return {
        server.id: server.model_copy(update={"launch": launches[server.id]}) if server.launch is not None else server
        for server in servers
    }


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


async def _chains(run: Run, teacher: Teacher, servers: Servers) -> list[Chain]:
    """Stages graph, chains."""

    async def link(server: ToolServer) -> ToolGraph:
        return await build_graph(teacher, server)

    async def check(chain: Chain) -> Chain:
        return check_chain(servers[chain.server], chain)

    graphs = (await run.execute(Stage("graph", link, ToolGraph), list(servers.values()))).products
    save_graphs(run.folder / "graph.json", graphs)
    run.products["graph.json"] = len(graphs)
    walk = run.config.chains
    candidates = [
        chain
        for graph in graphs
        for chain in sample_chains(
            graph,
            count=walk.per_server,
            min_length=walk.min_length,
            max_length=walk.max_length,
            acyclic=walk.acyclic,
            seed=str(run.config.seed),
        )
    ]
    chains = (await run.execute(Stage("chains", check, Chain), candidates)).products
    run.write("chains.jsonl", chains)
    return chains


async def _tasks(run: Run, teacher: Teacher, servers: Servers, chains: list[Chain]) -> list[Task]:
    """Stage tasks."""

    async def draft(request: TaskRequest) -> Task:
        return await write(teacher, servers[request.server], request, run.config.tasks, seed=run.config.seed)

    requests = task_requests(list(servers.values()), chains, run.config.tasks)
    tasks = (await run.execute(Stage("tasks", draft, Task), requests)).products
    run.write("tasks.jsonl", tasks)
    return tasks


async def _trajectories(run: Run, teacher: Teacher, servers: Servers, tasks: list[Task]) -> list[Trajectory]:
    """Stages rollouts, judge."""
    task_of = {task.id: task for task in tasks}

    async def score(trajectory: Trajectory) -> Trajectory:
        return await judge(task_of[trajectory.task], trajectory, run.config.judge)

    async with LiveServers() as live:

        async def act(task: Task) -> Trajectory:
            return await roll_out(
                task,
                servers[task.server],
                teacher,
                live,
                seed=run.config.seed,
                failure_rate=run.config.rollouts.failure_rate,
            )

        await live.share(list(servers.values()))
        rolled_out = (await run.execute(Stage("rollouts", act, Trajectory), tasks)).products
    trajectories = (await run.execute(Stage("judge", score, Trajectory), rolled_out)).products
    run.write("trajectories.jsonl", trajectories)
    return trajectories
