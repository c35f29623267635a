package io.lockable.autoconfigure;

import io.lockable.engine.LockEngine;

/**
 * Changes the builder of the engine after the properties were applied. Beans of this type
 * are called in their order.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockEngineBuilderCustomizer {

	/**
	 * Changes the builder.
	 * @param builder the builder of the engine
	 */
	void customize(LockEngine.Builder builder);

}
