"""Parameters that many routes take."""

from typing import Annotated

from fastapi import Path, Query

from grader.api.schemas.base import IDENTIFIER, MOST_WAIT_S

IdPath = Annotated[str, Path(pattern=IDENTIFIER)]
WaitQuery = Annotated[
    float,
    Query(ge=0, le=MOST_WAIT_S, description="Seconds to wait for the job to end.", examples=[30]),
]
