"""Checks a folder of requests for Qdrant, and answers queries from it: qdrant_check.py FOLDER QUERIES.json

Every body is read by the models of Qdrant's own client, which allow no field that its interface does not have. Then Qdrant Edge
(qdrant-edge-py, its server's code in this process) gets collection, indexes and points, and answers the queries, which are bodies of
POST /collections/NAME/points/query. Says as JSON: how many points there are, and for each query ids and scores.
"""
import json
import pathlib
import sys
import tempfile

import qdrant_edge as edge
from pydantic import ValidationError
from qdrant_client.http import models

folder = pathlib.Path(sys.argv[1])
queries = json.loads(pathlib.Path(sys.argv[2]).read_text())


def read(name):
    return json.loads((folder / name).read_text())


def must_fail(model, body):
    try:
        model.model_validate(body)
    except ValidationError:
        return
    sys.exit(f"The models take {body}: they check nothing")


collection = models.CreateCollection.model_validate(read("collection.json"))
must_fail(models.CreateCollection, {**read("collection.json"), "on_disc_payload": True})
must_fail(models.CreateCollection, {"vectors": {"size": 256, "distance": "cosinus"}})
for name in ("aliases.json", "first_alias.json"):
    models.ChangeAliasesOperation.model_validate(read(name))
indexes = [models.CreateFieldIndex.model_validate(read(path.name)) for path in sorted(folder.glob("index-*.json"))]

shard = edge.EdgeShard.create(
    tempfile.mkdtemp(dir=folder.parent),
    edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(size=collection.vectors.size, distance=getattr(edge.Distance, collection.vectors.distance.value)),
        on_disk_payload=collection.on_disk_payload,
    ),
)


def schema_of(field):
    if isinstance(field, models.TextIndexParams):
        return edge.TextIndexParams(
            tokenizer=getattr(edge.TokenizerType, field.tokenizer.value.capitalize()),
            lowercase=field.lowercase,
            min_token_len=field.min_token_len,
            max_token_len=field.max_token_len,
            ascii_folding=field.ascii_folding,
            stemmer=None if field.stemmer is None else edge.SnowballParams(getattr(edge.SnowballLanguage, field.stemmer.language.value.capitalize())),
        )
    return getattr(edge.PayloadSchemaType, field.value.capitalize())


for index in indexes:
    shard.update(edge.UpdateOperation.create_field_index(index.field_name, schema_of(index.field_schema)))
bodies = [json.loads(line) for path in sorted(folder.glob("points-*.ndjson")) for line in path.read_text().splitlines()]
for body in bodies:
    points = models.PointsList.model_validate(body).points
    shard.update(edge.UpdateOperation.upsert_points([edge.Point(point.id, point.vector, point.payload) for point in points]))
shard.optimize()


def filter_of(asked):
    if asked is None:
        return None
    conditions = []
    for each in asked.must:
        match = edge.MatchText(each.match.text) if isinstance(each.match, models.MatchText) else edge.MatchValue(each.match.value)
        conditions.append(edge.FieldCondition(each.key, match=match))
    return edge.Filter(must=conditions)


def answer(body):
    asked = models.QueryRequest.model_validate(body)
    if asked.prefetch is None:
        query, prefetches = edge.Query.Nearest(asked.query), None
    else:
        query = edge.Fusion.Rrf(2) if asked.query.fusion == models.Fusion.RRF else sys.exit("another fusion")
        prefetches = [
            edge.Prefetch(limit=each.limit, query=edge.Query.Nearest(each.query), filter=filter_of(each.filter)) for each in asked.prefetch
        ]
    found = shard.query(
        edge.QueryRequest(limit=asked.limit, query=query, prefetches=prefetches, filter=filter_of(asked.filter), with_payload=True)
    )
    return [{"id": str(hit.id), "score": hit.score, "payload": hit.payload} for hit in found]


print(json.dumps({"points": shard.count(edge.CountRequest(exact=True)), "answers": [answer(body) for body in queries]}))
