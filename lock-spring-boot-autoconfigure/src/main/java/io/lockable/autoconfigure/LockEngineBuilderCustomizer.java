package io.lockable.autoconfigure;

import io.lockable.engine.LockEngine;

/**
 * A callback that customizes the engine's builder after the properties have been applied.
 * Beans of this type are called in their order.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockEngineBuilderCustomizer {

	/**
	 * Customizes the builder.
	 * @param builder the builder of the engine
	 */
	void customize(LockEngine.Builder builder);

}
