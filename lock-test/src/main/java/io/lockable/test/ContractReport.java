package io.lockable.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Writes the results of the contract tests into the file that the system property
 * {@code lockable.test.contracts} names, if it is set. Each test adds a line with the
 * contract, the store and the result, separated by tabs. The result is {@code passed},
 * {@code failed}, or {@code not offered} for a missing capability of the store.
 */
final class ContractReport implements AfterEachCallback {

	private static final Pattern INVOCATION = Pattern.compile("\\[\\d+] (?:\\w+ ?= ?)?(.+)");

	private static final String FILE = "lockable.test.contracts";

	private static final String SUFFIX = "ContractTests";

	@Override
	public void afterEach(ExtensionContext context) {
		// A system property, unless the test run sets another source.
		String file = context.getConfigurationParameter(FILE).orElse("");
		if (file.isEmpty()) {
			return;
		}
		String line = String.join("\t", contract(context.getRequiredTestClass()), store(context), outcome(context))
				+ "\n";
		try {
			Path path = Path.of(file);
			Files.createDirectories(path.toAbsolutePath().getParent());
			Files.writeString(path, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String outcome(ExtensionContext context) {
		return context.getExecutionException()
			.map((thrown) -> (thrown instanceof TestAbortedException) ? "not offered" : "failed")
			.orElse("passed");
	}

	// The contract of a store has several parts, each of which includes the previous
	// ones.
	private static String contract(Class<?> test) {
		Class<?> contract = test;
		while (!contract.getSimpleName().endsWith(SUFFIX)) {
			contract = contract.getSuperclass();
		}
		return LockStoreContractTests.class.isAssignableFrom(contract) ? "LockStore"
				: contract.getSimpleName().substring(0, contract.getSimpleName().length() - SUFFIX.length());
	}

	/**
	 * Returns the argument of the test class, or its name. For nested contracts of one
	 * store, the outermost class counts.
	 */
	private static String store(ExtensionContext context) {
		Class<?> test = context.getRequiredTestClass();
		while (test.getEnclosingClass() != null) {
			test = test.getEnclosingClass();
		}
		for (ExtensionContext around = context; around != null; around = around.getParent().orElse(null)) {
			Matcher invocation = INVOCATION.matcher(around.getDisplayName());
			if (around.getTestMethod().isEmpty() && invocation.matches()) {
				return invocation.group(1);
			}
		}
		return test.getSimpleName().startsWith("InMemory") ? "in memory" : test.getSimpleName();
	}

}
