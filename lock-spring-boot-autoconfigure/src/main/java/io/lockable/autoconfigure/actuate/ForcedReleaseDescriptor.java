package io.lockable.autoconfigure.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of a forced release.
 *
 * @param key the full name of the lock
 * @param engines the result on the store of each engine, by bean name
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
	 * The result on one store.
	 *
	 * @param released the owner tokens whose lock was released
	 * @param gone the owner tokens that held it shortly before, but no longer
	 * @param error the reason why the result is incomplete, or {@code null}
	 */
	record EngineReleaseDescriptor(List<String> released, List<String> gone, @Nullable String error) {

		static EngineReleaseDescriptor failed(RuntimeException failure) {
			return new EngineReleaseDescriptor(List.of(), List.of(), String.valueOf(failure.getMessage()));
		}

	}

}
