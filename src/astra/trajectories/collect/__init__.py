"""Tool documents -> tools: every form read as one, cleaned, checked, grouped by server and filtered."""

from astra.trajectories.collect.botocore_models import available_services, botocore_servers, chosen_services
from astra.trajectories.collect.files import read_launches, read_server_documents
from astra.trajectories.collect.forms import normalise_tool
from astra.trajectories.collect.servers import (
    Collected,
    ServerFilter,
    ToolDocument,
    assemble_server,
    normalise_server,
    tool_documents,
)

__all__ = [
    "Collected",
    "ServerFilter",
    "ToolDocument",
    "assemble_server",
    "available_services",
    "botocore_servers",
    "chosen_services",
    "normalise_server",
    "normalise_tool",
    "read_launches",
    "read_server_documents",
    "tool_documents",
]
