"""Assist with a language model behind it, which prefers handling locally."""

from inspect import signature
from typing import Any, override

from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.components import assist_pipeline, conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import chat_session, intent
from homeassistant.setup import async_setup_component

from .home import Home


class RecordingAgent(conversation.AbstractConversationAgent):
    """A conversation agent behind Assist that records what reaches it."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    @classmethod
    async def of(cls, hass: HomeAssistant, language: str) -> RecordingAgent:
        """Have an agent of another integration behind Assist, which prefers handling locally."""
        recording = cls()
        entry = MockConfigEntry(domain="test_agent", title="Model")
        entry.add_to_hass(hass)
        for component in ("homeassistant", "conversation", "assist_pipeline"):
            assert await async_setup_component(hass, component, {})
        conversation.async_set_agent(hass, entry, recording)
        await assist_pipeline.async_update_pipeline(
            hass,
            assist_pipeline.async_get_pipeline(hass),
            conversation_engine=entry.entry_id,
            conversation_language=language,
            prefer_local_intents=True,
        )
        return recording

    @property
    @override
    def supported_languages(self) -> list[str]:
        return ["en", "de", "fr", "es", "nl", "ja", "zh-CN", "zh-Hans"]

    @override
    async def async_process(
        self, user_input: conversation.ConversationInput
    ) -> conversation.ConversationResult:
        """Record a sentence."""
        self.heard.append(user_input.text)
        response = intent.IntentResponse(language=user_input.language)
        response.async_set_speech("It reached the model.")
        return conversation.ConversationResult(response=response)


async def say(home: Home, sentence: str, device_id: str) -> tuple[str, bool]:
    """Say something to the pipeline; return the answer, and whether it is an error."""
    ended: list[dict[str, Any]] = []

    def keep(event: assist_pipeline.PipelineEvent) -> None:
        if event.type is assist_pipeline.PipelineEventType.INTENT_END:
            ended.append((event.data or {})["intent_output"]["response"])

    open_session: Any = chat_session.async_get_chat_session
    # Home Assistant 2026.11 asks for whom the session is.
    whom = {"context": None} if "context" in signature(open_session).parameters else {}
    with open_session(home.hass, **whom) as session:
        said = assist_pipeline.PipelineInput(
            session=session,
            intent_input=sentence,
            device_id=device_id,
            run=assist_pipeline.PipelineRun(
                home.hass,
                context=Context(),
                pipeline=assist_pipeline.async_get_pipeline(home.hass),
                start_stage=assist_pipeline.PipelineStage.INTENT,
                end_stage=assist_pipeline.PipelineStage.INTENT,
                event_callback=keep,
            ),
        )
        await said.execute(validate=True)
    if not ended:
        return "", True  # Home Assistant failed with a sentence of its own.
    (response,) = ended
    speech = response["speech"].get("plain", {}).get("speech", "")
    return speech, response["response_type"] == "error"
