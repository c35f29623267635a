package io.lockable.autoconfigure.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What a forced release has done.
 *
 * @param key the full name of the lock
 * @param engines what it has done on the store of each engine, by the names of the beans
 */
record ForcedReleaseDescriptor(String key,
		Map<String, EngineReleaseDescriptor> engines) implements OperationResponseBody {

	boolean isHeld() {
		return this.engines.values()
			.stream()
			.anyMatch((engine) -> !engine.released().isEmpty() || !engine.gone().isEmpty());
	}

	boolean isUnknown() {
		return this.engines.values().stream().anyMatch((engine) -> engine.error() != null);
	}

	/**
	 * What was done on one store.
	 *
	 * @param released the owner tokens whose lock was released
	 * @param gone those that held it a moment before and did no longer
	 * @param error why nothing is known of all or of some, if that is so
	 */
	record EngineReleaseDescriptor(List<String> released, List<String> gone, @Nullable String error) {

		static EngineReleaseDescriptor failed(RuntimeException failure) {
			return new EngineReleaseDescriptor(List.of(), List.of(), String.valueOf(failure.getMessage()));
		}

	}

}
