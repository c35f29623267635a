package io.lockable.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for {@link ContractReport}, and for the table that {@code .ci/contracts} creates
 * from it.
 */
class ContractReportTests {

	@TempDir
	private Path folder;

	@Test
	void eachTestHasALineWithItsOutcome() throws IOException {
		Path report = this.folder.resolve("new/contracts.tsv");
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(Sample.class))
				.configurationParameter("lockable.test.contracts", report.toString())
				.build());
		assertThat(report).content()
			.hasLineCount(3)
			.contains("Sample\tContractReportTests\tpassed\n")
			.contains("Sample\tContractReportTests\tfailed\n")
			.contains("Sample\tContractReportTests\tnot offered\n");
	}

	@Test
	@DisabledOnOs(OS.WINDOWS)
	void tableCountsWhatAStoreDoesNotOfferAsNeitherPassedNorFailed() throws Exception {
		assertThat(table(0, "Lock\tA\tpassed\n", "Lock\tA\tpassed\n", "Lock\tA\tnot offered\n", "Store\tB\tpassed\n",
				"Store\tC\tnot offered\n"))
			.contains("| store | Lock | Store |\n", "| A | 2, 1 not offered |  |\n", "| B |  | 1 |\n",
					"| C |  | 0, 1 not offered |\n");
	}

	@Test
	@DisabledOnOs(OS.WINDOWS)
	void tableFailsOnAFailure() throws Exception {
		assertThat(table(1, "Lock\tA\tpassed\n", "Lock\tA\tfailed\n", "Lock\tA\tnot offered\n"))
			.contains("| A | **1 of 2**, 1 not offered |\n");
	}

	@Test
	@DisabledOnOs(OS.WINDOWS)
	void tableFailsOnAnOutcomeThatItDoesNotKnow() throws Exception {
		assertThat(table(1, "Lock\tA\tpassed\n", "Lock\tA\taborted\n")).contains("| A | **1 of 2** |\n");
		assertThat(table(1, "Lock\tA\tpassed\n", "Lock\tA\n")).contains("| A | **1 of 2** |\n");
	}

	private String table(int status, String... lines) throws Exception {
		Path report = Files.writeString(this.folder.resolve("contracts.tsv"), String.join("", lines));
		Process process = new ProcessBuilder("../.ci/contracts", "--print", report.toString()).redirectErrorStream(true)
			.start();
		String table = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(table).isEqualTo(status);
		return table;
	}

	@ExtendWith(ContractReport.class)
	abstract static class SampleContractTests {

		@Test
		void passes() {
		}

		@Test
		void fails() {
			throw new IllegalStateException("A broken contract");
		}

		@Test
		void isNotOffered() {
			assumeTrue(false, "This store has not what this is about");
		}

	}

	static class Sample extends SampleContractTests {

	}

}
