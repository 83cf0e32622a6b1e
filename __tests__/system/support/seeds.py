# A service of FastAPI. Its argument is the name of a property, which the newer one has changed.
import asyncio
import json
import sys
from typing import List

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import create_model

name, port = sys.argv[1], int(sys.argv[2])
Seed = create_model("Seed", id=(int, 0), **{name: (str, ...)})
app = FastAPI(title="Seeds", version="1.0")
kept = [Seed(id=1, **{name: "Kale"})]


@app.get("/seeds", response_model=List[Seed])
def seeds(big: bool = False):
    return kept if not big else [Seed(id=at, **{name: "k" * 1000}) for at in range(20000)]


@app.get("/seeds/{id}", response_model=Seed)
def seed(id: int):
    if id > len(kept):
        raise HTTPException(404, "No such seed")
    return kept[id - 1]


@app.post("/seeds", response_model=Seed, status_code=201)
def add(seed: Seed, response: Response):
    response.headers["Location"] = "/seeds/2"
    return Seed(id=2, **{name: getattr(seed, name)})


@app.put("/files/{path}", response_model=int)
async def upload(path: str, request: Request):
    return sum([len(piece) async for piece in request.stream()])


item = {"type": "object", "properties": {"data": {"type": "string"}}}
item["properties"]["data"]["contentSchema"] = {"$ref": "#/components/schemas/Seed"}
content = {"text/event-stream": {"itemSchema": item}}


@app.get("/events", response_class=StreamingResponse, responses={200: {"content": content}})
async def events():
    async def made():
        for one in kept * 2:
            yield f"data: {json.dumps(one.dict())}\n\n"
            await asyncio.sleep(0.01)

    return StreamingResponse(made(), media_type="text/event-stream")


uvicorn.run(app, port=port, log_level="warning")
