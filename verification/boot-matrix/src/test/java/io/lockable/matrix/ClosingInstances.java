package io.lockable.matrix;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Closes the shared instances after the last test. At the end of the JVM, their server
 * would already be stopping.
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
	 * The closeable type of JUnit that exists in all versions.
	 */
	@SuppressWarnings("deprecation")
	private static final class Closing implements ExtensionContext.Store.CloseableResource {

		@Override
		public void close() {
			Instance.closeShared();
		}

	}

}
