package io.lockable.sample;

import java.io.IOException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults of the lab during a run with the lock. None of them oversells.
 */
@Tag("extended")
@Timeout(600)
@DisabledOnOs(OS.WINDOWS)
class LabFaultIntegrationTests {

	private static final int MUGS = 60;

	private static ShopProcess lab;

	@BeforeAll
	static void startLab() throws IOException {
		lab = ShopProcess.start("lab-faults", "--lab.outage=15s");
		lab.awaitReady(3);
	}

	@AfterAll
	static void endLab() {
		lab.close();
	}

	@BeforeEach
	void startRun() throws Exception {
		lab.awaitReady(3);
		assertThat(lab.post("/run?locked=true&buyers=2&think=200&mugs=" + MUGS).statusCode()).isEqualTo(200);
		lab.await((state) -> sold(state) > 0);
	}

	@Test
	void staleWriteOfAPausedHolderIsRefused() throws Exception {
		fault("holder", "PAUSE");
		lab.await((state) -> isHeldByAnotherThan(state, "PAUSED"));
		assertThat(awaitEndOfRun().get("refused").asInt()).isPositive();
	}

	@Test
	void holderWithoutNetworkLosesTheLock() throws Exception {
		fault("holder", "CUT");
		lab.await((state) -> isHeldByAnotherThan(state, "CUT"));
		awaitEndOfRun();
	}

	@Test
	void otherInstancesReplaceAKilledOne() throws Exception {
		fault("holder", "KILL");
		JsonNode killed = lab.await((state) -> ShopProcess.count(state, "DEAD") == 1);
		lab.await((state) -> isHeldByAnotherThan(state, "DEAD"));
		for (JsonNode instance : killed.get("instances")) {
			if (instance.get("status").asString().equals("DEAD")) {
				String path = "/instances/" + instance.get("name").asString() + "/start";
				assertThat(lab.post(path).statusCode()).isEqualTo(200);
			}
		}
		lab.awaitReady(3);
		awaitEndOfRun();
	}

	@Test
	void restartOfRedisKeepsTheStock() throws Exception {
		assertThat(lab.post("/server/restart").statusCode()).isEqualTo(200);
		awaitEndOfRun();
	}

	private static JsonNode awaitEndOfRun() {
		JsonNode stock = lab.awaitEndOfRun();
		assertThat(stock.get("sold").asInt()).isEqualTo(MUGS);
		assertThat(stock.get("oversold").asInt()).isZero();
		return stock;
	}

	private static boolean isHeldByAnotherThan(JsonNode state, String status) {
		String owner = state.get("owner").asString("");
		for (JsonNode instance : state.get("instances")) {
			if (owner.startsWith(instance.get("name").asString() + ".")) {
				return !instance.get("status").asString().equals(status) && ShopProcess.count(state, status) > 0;
			}
		}
		return false;
	}

	private static int sold(JsonNode state) {
		return state.get("stock").isNull() ? 0 : state.get("stock").get("sold").asInt();
	}

	private static void fault(String name, String fault) throws Exception {
		assertThat(lab.post("/instances/" + name + "/faults?fault=" + fault).statusCode()).isEqualTo(200);
	}

}
