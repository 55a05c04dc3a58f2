"""How long it takes to normalise real tool documents: all of botocore, and a file of servers if one is given.

python benchmarks/collect.py [FILE]
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from astra.model import Rejection, ServerDocument
from astra.trajectories.collect import botocore_servers, normalise_server, read_server_documents


def measure(title: str, entries: Iterable[ServerDocument | Rejection]) -> None:
    start = time.perf_counter()
    servers = documents = kept_servers = kept_tools = 0
    reasons: Counter[str] = Counter()
    for entry in entries:
        servers += 1
        if isinstance(entry, Rejection):
            reasons[f"{entry.stage}:{entry.reason}"] += 1
            continue
        documents += len(entry.documents)
        collected = normalise_server(entry)
        reasons.update(f"{rejection.stage}:{rejection.reason}" for rejection in collected.rejections)
        if collected.server:
            kept_servers += 1
            kept_tools += len(collected.server.tools)
    seconds = time.perf_counter() - start
    print(f"{title}: {seconds:.1f} s, {documents / seconds:,.0f} documents/s")
    print(f"  servers {kept_servers:,} of {servers:,}, tools {kept_tools:,} of {documents:,}")
    for reason, count in sorted(reasons.items()):
        print(f"  {reason}: {count:,}")


if __name__ == "__main__":
    print(f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for argument in sys.argv[1:]:
        measure(argument, read_server_documents(Path(argument)))
    measure("botocore", botocore_servers())
