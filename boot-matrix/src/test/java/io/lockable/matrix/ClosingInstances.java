package io.lockable.matrix;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Closes the instances that all tests share after the last test, and not with the JVM,
 * which ends their server at the same time.
 */
final class ClosingInstances implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		ExtensionContext.Store store = context.getRoot().getStore(Namespace.create(ClosingInstances.class));
		if (store.get(Closing.class) == null) {
			store.put(Closing.class, new Closing());
		}
	}

	/**
	 * What JUnit closes: the only type of which all versions know.
	 */
	@SuppressWarnings("deprecation")
	private static final class Closing implements ExtensionContext.Store.CloseableResource {

		@Override
		public void close() {
			Instance.closeShared();
		}

	}

}
