"""A real Home Assistant in a process of its own, set up and signed in without a person."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
import json
import os
from pathlib import Path
import signal
import socket
import sys
import time
from types import TracebackType
from typing import Any, Self

import aiohttp

ROOT = Path(__file__).parents[2]
CLIENT_SECONDS = 60
CONFIGURATION = """
homeassistant:
  name: Gallery
  country: CH
  internal_url: {url}
  media_dirs:
    local: {media}
automation: !include automations.yaml
config:
conversation:
frontend:
image_upload:
history:
logbook:
media_source:
script: !include scripts.yaml
scene:
zeroconf:
logger:
  default: warning
  logs:
    custom_components.dp1: {level}
"""
USER = {"name": "Demo", "username": "demo", "password": "demo", "language": "en"}


class HomeError(Exception):
    """Home Assistant did not do what it was asked."""


def reserve_port() -> socket.socket:
    """Return a socket that keeps a port from everybody but who binds to it by number."""
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


class Home:
    """One Home Assistant, its configuration in a folder, its pages on loopback only."""

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        python: str = sys.executable,
        level: str = "info",
    ) -> None:
        """Prepare; nothing runs yet."""
        self.folder = folder
        # Home Assistant takes seconds until it listens, and simulators take free ports meanwhile.
        self._reserved = reserve_port()
        self.port = port or self._reserved.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.tokens: dict[str, Any] = {}
        self._python = python
        self._level = level
        self._process: asyncio.subprocess.Process | None = None
        self._session: aiohttp.ClientSession | None = None
        self._last_id = 0

    async def __aenter__(self) -> Self:
        """Start, and wait until it can be used."""
        try:
            await self.start()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()
        self._reserved.close()

    @property
    def client_id(self) -> str:
        """Who we are when we sign in: the frontend."""
        return f"{self.url}/"

    @property
    def log(self) -> str:
        """What Home Assistant wrote."""
        return (self.folder / "output.log").read_text(errors="replace")

    @property
    def session(self) -> aiohttp.ClientSession:
        """Where requests go out."""
        if self._session is None:
            raise HomeError("not started")
        return self._session

    # Life

    def _write_configuration(self) -> None:
        """Lay the folder out; an earlier one is kept as it is."""
        storage = self.folder / ".storage"
        storage.mkdir(parents=True, exist_ok=True)
        media = self.folder / "media"
        media.mkdir(exist_ok=True)
        text = CONFIGURATION.format(url=self.url, media=media, level=self._level)
        (self.folder / "configuration.yaml").write_text(text)
        for name, empty in (("automations.yaml", "[]"), ("scripts.yaml", "{}")):
            if not (self.folder / name).exists():
                (self.folder / name).write_text(empty)
        link = self.folder / "custom_components"
        if not link.exists():
            link.symlink_to(ROOT / "custom_components")
        # In YAML, the port would bring a question over every page.
        stable = {
            "server_host": ["127.0.0.1"],
            "server_port": self.port,
            "cors_allowed_origins": [],
            "ip_ban_enabled": False,
            "login_attempts_threshold": -1,
            "ssl_profile": "modern",
            "use_x_frame_options": True,
            "created_at": "2026-01-01T00:00:00+00:00",
            "error": None,
            "error_message": None,
        }
        data = {"stable": stable, "pending": None, "yaml_migration_done": True}
        stored = {"version": 2, "minor_version": 2, "key": "http", "data": data}
        (storage / "http").write_text(json.dumps(stored))

    async def start(self) -> None:
        """Start the process, create the user at the first time, and sign in."""
        self._write_configuration()
        with (self.folder / "output.log").open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                self._python,
                *("-m", "homeassistant", "-c", str(self.folder)),
                stdout=output,
                stderr=output,
                # Not where the checkout is, whose integration would be found.
                cwd=self.folder,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        # A kept connection may be closed while Home Assistant is busy starting, and a POST is not repeated.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True),
            timeout=aiohttp.ClientTimeout(total=CLIENT_SECONDS),
        )
        await self.until(self._answers, 120, "an answer of Home Assistant")
        if not self.tokens:
            await self._onboard()
        await self.until(self._runs, 120, "the end of Home Assistant's start")

    async def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop or kill the process and forget the session, not the user."""
        if self._session is not None:
            await self._session.close()
        if self._process is None or self._process.returncode is not None:
            return
        self._process.send_signal(how)
        try:
            async with asyncio.timeout(30):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def _answers(self) -> bool:
        """Say whether the web server is there."""
        if self._process is not None and self._process.returncode is not None:
            raise HomeError(f"Home Assistant ended:\n{self.log[-3000:]}")
        try:
            async with self.session.get(f"{self.url}/api/onboarding") as answer:
                return answer.status in (200, 404)
        except aiohttp.ClientError:
            return False

    async def _runs(self) -> bool:
        """Say whether everything is set up."""
        return bool((await self.get("/api/config"))["state"] == "RUNNING")

    async def _onboard(self) -> None:
        """Create the user and answer what is asked at the first start."""
        client = {"client_id": self.client_id}
        code = await self.post("/api/onboarding/users", {**client, **USER})
        form = {
            "grant_type": "authorization_code",
            "code": code["auth_code"],
            **client,
        }
        async with self.session.post(f"{self.url}/auth/token", data=form) as answer:
            self.tokens = await answer.json()
        await self.until(self._runs, 120, "the end of Home Assistant's start")
        for step in ("core_config", "analytics"):
            await self.post(f"/api/onboarding/{step}", {})
        await self.post(
            "/api/onboarding/integration", {**client, "redirect_uri": self.client_id}
        )

    # Asking

    async def post(self, path: str, data: Mapping[str, Any]) -> Any:
        async with self.session.post(
            self.url + path, json=data, headers=self._authorization
        ) as answer:
            if not answer.ok:
                raise HomeError(f"{path}: {answer.status} {await answer.text()}")
            return await answer.json()

    async def delete(self, path: str) -> None:
        async with self.session.delete(
            self.url + path, headers=self._authorization
        ) as answer:
            if not answer.ok:
                raise HomeError(f"{path}: {answer.status} {await answer.text()}")

    async def get(self, path: str) -> Any:
        async with self.session.get(
            self.url + path, headers=self._authorization
        ) as answer:
            if not answer.ok:
                raise HomeError(f"{path}: {answer.status} {await answer.text()}")
            return await answer.json()

    @property
    def _authorization(self) -> dict[str, str]:
        """Our ticket, once we have one."""
        token = self.tokens.get("access_token")
        return {"Authorization": f"Bearer {token}"} if token else {}

    async def state(self, entity_id: str) -> dict[str, Any] | None:
        states = await self.get("/api/states")
        return next((s for s in states if s["entity_id"] == entity_id), None)

    async def states(self, domain: str) -> list[dict[str, Any]]:
        states = await self.get("/api/states")
        return [s for s in states if s["entity_id"].startswith(f"{domain}.")]

    async def call(
        self, action: str, data: Mapping[str, Any], *, response: bool = False
    ) -> Any:
        """Perform an action; return its response if it is asked for one."""
        path = f"/api/services/{action.replace('.', '/')}"
        if not response:
            return await self.post(path, data)
        answer = await self.post(f"{path}?return_response", data)
        return answer["service_response"]

    async def flow(
        self, handler: str | list[str], kind: str = "flow"
    ) -> dict[str, Any]:
        """Begin to add an integration, as a person does, or its options or a subentry by the kind of flow."""
        flow: dict[str, Any] = await self.post(
            f"/api/config/config_entries/{kind}", {"handler": handler}
        )
        return flow

    async def step(
        self, flow_id: str, data: Mapping[str, Any], kind: str = "flow"
    ) -> dict[str, Any]:
        """Answer the question of a flow."""
        result: dict[str, Any] = await self.post(
            f"/api/config/config_entries/{kind}/{flow_id}", data
        )
        return result

    async def discovered(self, handler: str) -> list[dict[str, Any]]:
        """Return the discoveries that wait for a person."""
        flows = await self.ask("config_entries/flow/progress")
        return [flow for flow in flows if flow["handler"] == handler]

    async def ask(self, kind: str, **message: Any) -> Any:
        """Ask over the WebSocket, as the frontend does."""
        async with self.connected() as ask:
            return await ask(kind, **message)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Callable[..., Any]]:
        """Open a WebSocket for several questions."""
        async with self.session.ws_connect(f"{self.url}/api/websocket") as socket_:
            await socket_.receive_json()
            token = self.tokens["access_token"]
            await socket_.send_json({"type": "auth", "access_token": token})
            await socket_.receive_json()

            async def ask(kind: str, **message: Any) -> Any:
                """Ask one question."""
                self._last_id += 1
                await socket_.send_json({"id": self._last_id, "type": kind, **message})
                while (answer := await socket_.receive_json()).get(
                    "id"
                ) != self._last_id:
                    pass
                if not answer["success"]:
                    raise HomeError(f"{kind}: {answer['error']}")
                return answer["result"]

            yield ask

    async def dashboard(self, path: str, title: str, config: Mapping[str, Any]) -> str:
        """Make a dashboard; return its address."""
        async with self.connected() as ask:
            known = await ask("lovelace/dashboards/list")
            if all(dashboard["url_path"] != path for dashboard in known):
                await ask(
                    "lovelace/dashboards/create",
                    url_path=path,
                    title=title,
                    icon="mdi:image-frame",
                    mode="storage",
                    show_in_sidebar=True,
                    require_admin=False,
                )
            await ask("lovelace/config/save", url_path=path, config=config)
        return f"{self.url}/{path}"

    async def until(self, ready: Callable[[], Any], seconds: float, what: str) -> Any:
        """Ask again until the answer is yes."""
        end = time.monotonic() + seconds
        while not (answer := await ready()):
            if time.monotonic() > end:
                raise HomeError(f"waited {seconds} s for {what}\n{self.log[-3000:]}")
            await asyncio.sleep(0.2)
        return answer

    def browser_tokens(self) -> str:
        """Return what the frontend keeps of a sign-in, as JSON."""
        return json.dumps(
            {
                "hassUrl": self.url,
                "clientId": self.client_id,
                "expires": int(time.time() * 1000) + self.tokens["expires_in"] * 1000,
                **self.tokens,
            }
        )
