"""Tool documents from the service models inside the `botocore` package: typed inputs and, which is rare, outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import botocore.session
from botocore.exceptions import UnknownServiceError
from botocore.model import OperationModel, ServiceModel, Shape, StructureShape

from astra.errors import BadInput
from astra.model import JsonObject, ServerDocument, seeded
from astra.model.words import singular_words
from astra.trajectories.collect.schema import compiles
from astra.trajectories.collect.text import first_sentences, plain

_MAX_DEPTH = 4  # levels of nesting; deeper parts become plain objects
_MAX_MEMBERS = 400  # members in one schema, all levels together
_TOOL_TEXT = 600  # characters of an operation's description
_FIELD_TEXT = 240
_SERVER_TEXT = 600

_DOMAINS = {
    "Compute": "ec2 lambda batch lightsail autoscaling ecs eks ecr apprunner imagebuilder elasticbeanstalk outposts",
    "Storage": "s3 s3control glacier efs fsx backup storagegateway datasync ebs s3tables s3vectors",
    "Databases": "dynamodb rds docdb neptune memorydb elasticache keyspaces timestream-write qldb dsql redshift dax",
    "Networking": "elbv2 elb route53 cloudfront directconnect vpc-lattice apigateway apigatewayv2 appmesh",
    "Security": "iam kms sts secretsmanager guardduty inspector2 macie2 waf wafv2 shield acm cognito-idp securityhub",
    "Machine learning": "sagemaker bedrock bedrock-agent rekognition comprehend polly transcribe textract lexv2",
    "Analytics": "athena glue emr kinesis firehose quicksight opensearch lakeformation cleanrooms databrew datazone",
    "Messaging": "sns sqs ses sesv2 pinpoint mq events kafka chime connect amp",
    "Developer tools": "codebuild codecommit codedeploy codepipeline codeartifact cloud9 xray amplify codecatalyst",
    "Management": "cloudformation cloudwatch cloudtrail config ssm organizations logs servicecatalog resource-groups",
    "Media": "mediaconvert medialive mediapackage mediastore ivs kinesisvideo elastictranscoder mediatailor",
    "Internet of things": "iot iotanalytics iotevents iotsitewise iotwireless greengrass greengrassv2 iottwinmaker",
    "Maps and travel": "location geo-maps geo-places geo-routes",
    "Finance": "ce budgets cur pricing billing invoicing payments marketplace-catalog savingsplans",
}
_DOMAIN_OF = {service: domain for domain, services in _DOMAINS.items() for service in services.split()}


def available_services() -> tuple[str, ...]:
    """Names of all services that the installed botocore knows, sorted."""
    return tuple(sorted(botocore.session.get_session().get_available_services()))


def chosen_services(limit: int | None, *, seed: str) -> list[str]:
    """Names of at most `limit` services, drawn by `seed`; all of them for None."""
    names = list(available_services())
    if limit is None or limit >= len(names):
        return names
    return sorted(seeded(seed, "botocore-services").sample(names, limit))


def botocore_servers(
    services: Sequence[str] | None = None,
    *,
    max_tools: int | None = None,
    seed: str = "0",
) -> Iterator[ServerDocument]:
    """One server a service, in the order of their names, its documents in the form of an MCP `tools/list`.

    Args:
        services: names as botocore has them; None: all.
        max_tools: keep at most this many operations of a service, those of one noun together, drawn by `seed`.

    Raises:
        BadInput: botocore knows no such service.
    """
    session = botocore.session.get_session()
    for name in available_services() if services is None else sorted(set(services)):
        try:
            model = session.get_service_model(name)
        except UnknownServiceError:
            near = ", ".join(get_close_matches(name, available_services())) or "see `available_services()`"
            raise BadInput(f"botocore has no service {name!r}; nearest: {near}") from None
        yield _server(name, model, max_tools, seed)


def _server(name: str, model: ServiceModel, max_tools: int | None, seed: str) -> ServerDocument:
    operations = _chosen(name, sorted(model.operation_names), max_tools, seed)
    return ServerDocument(
        id=f"botocore-{name}",
        name=model.metadata.get("serviceFullName", name),
        description=first_sentences(plain(model.documentation or ""), _SERVER_TEXT),
        domain=_DOMAIN_OF.get(name, "Cloud"),
        origin="botocore",
        documents=tuple(_document(model.operation_model(operation)) for operation in operations),
    )


def _chosen(service: str, operations: list[str], max_tools: int | None, seed: str) -> list[str]:
    """At most `max_tools` operations: whole nouns (create, describe, list and delete of one thing) in a drawn order."""
    if max_tools is None or len(operations) <= max_tools:
        return operations
    by_noun: dict[str, list[str]] = {}
    for operation in operations:
        by_noun.setdefault("".join(singular_words(operation)[1:2]), []).append(operation)
    nouns = sorted(by_noun)
    seeded(seed, "botocore-operations", service).shuffle(nouns)
    nouns.sort(key=lambda noun: len(by_noun[noun]) < 3)  # nouns with several operations first: they link up
    chosen: list[str] = []
    for noun in nouns:
        chosen.extend(by_noun[noun][: max_tools - len(chosen)])
    return sorted(chosen)


def _document(operation: OperationModel) -> JsonObject:
    document: JsonObject = {
        "name": operation.name,
        "description": first_sentences(plain(operation.documentation or ""), _TOOL_TEXT),
        "inputSchema": _Shapes().schema(operation.input_shape) if operation.input_shape else {"type": "object"},
    }
    if operation.output_shape is not None and operation.output_shape.members:
        document["outputSchema"] = _Shapes().schema(operation.output_shape)
    else:
        document["outputSchema"] = {"type": "object", "properties": {}}  # it is known to return nothing
    if operation.deprecated:
        document["deprecated"] = True
    return document


class _Shapes:
    """botocore's shapes as JSON Schema, with one allowance of members a document."""

    def __init__(self) -> None:
        self._members = 0

    def schema(self, shape: Shape, depth: int = 0) -> JsonObject:
        match shape.type_name:
            case "structure":
                return self._structure(shape, depth)
            case "list":
                items = self.schema(shape.member, depth + 1) if depth < _MAX_DEPTH else {}
                return {"type": "array", "items": items, **_sizes(shape, "minItems", "maxItems")}
            case "map":
                values = self.schema(shape.value, depth + 1) if depth < _MAX_DEPTH else {}
                return {"type": "object", "additionalProperties": values}
            case "string" | "character":
                return self._string(shape)
            case "integer" | "long":
                return {"type": "integer", **_sizes(shape, "minimum", "maximum")}
            case "float" | "double":
                return {"type": "number", **_sizes(shape, "minimum", "maximum")}
            case "boolean":
                return {"type": "boolean"}
            case "timestamp":
                return {"type": "string", "format": "date-time"}
            case _:  # blob
                return {"type": "string"}

    def _structure(self, shape: StructureShape, depth: int) -> JsonObject:
        if shape.is_document_type:
            return {}
        if depth >= _MAX_DEPTH or self._members > _MAX_MEMBERS:
            return {"type": "object"}
        self._members += len(shape.members)
        properties: JsonObject = {}
        for name, member in shape.members.items():
            properties[name] = self.schema(member, depth + 1)
            if text := first_sentences(plain(member.documentation or ""), _FIELD_TEXT):
                properties[name]["description"] = text
        schema: JsonObject = {"type": "object", "properties": properties}
        if shape.required_members:
            schema["required"] = list(shape.required_members)
        return schema

    def _string(self, shape: Shape) -> JsonObject:
        schema: JsonObject = {"type": "string"}
        if enum := list(dict.fromkeys(shape.metadata.get("enum", ()))):
            return {**schema, "enum": enum}
        pattern = shape.metadata.get("pattern")
        if isinstance(pattern, str) and compiles(pattern):
            schema["pattern"] = pattern
        return {**schema, **_sizes(shape, "minLength", "maxLength")}


def _sizes(shape: Shape, least: str, most: str) -> JsonObject:
    found = {least: shape.metadata.get("min"), most: shape.metadata.get("max")}
    return {key: value for key, value in found.items() if isinstance(value, int | float)}
