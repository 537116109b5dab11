"""Text of pictures, recordings and films: engines behind one protocol, tasks on threads, a cache, the transcriber."""

from ctxlab.assets.transcription.cache import CacheKey, TranscriptCache, forget_transcripts
from ctxlab.assets.transcription.engine import Engine, FunctionEngine, NoText, as_engine
from ctxlab.assets.transcription.ocr import OcrEngine
from ctxlab.assets.transcription.process_registry import process_registry
from ctxlab.assets.transcription.registry import TranscriptionRegistry, TranscriptionTask
from ctxlab.assets.transcription.repetition import without_repetitions
from ctxlab.assets.transcription.speech import SpeechEngine
from ctxlab.assets.transcription.transcriber import FileTranscriber, default_engines
from ctxlab.assets.transcription.video import VideoEngine
from ctxlab.assets.transcription.vision_model import VisionModel
from ctxlab.public_names import listed

__all__ = [
    "CacheKey",
    "Engine",
    "FileTranscriber",
    "FunctionEngine",
    "NoText",
    "OcrEngine",
    "SpeechEngine",
    "TranscriptCache",
    "TranscriptionRegistry",
    "TranscriptionTask",
    "VideoEngine",
    "VisionModel",
    "as_engine",
    "default_engines",
    "forget_transcripts",
    "process_registry",
    "without_repetitions",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
