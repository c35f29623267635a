package io.lockable.sample;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged lab with two instances, without a browser.
 */
@Timeout(300)
class LabIntegrationTests {

	private static final int MUGS = 40;

	private static final RedisTestServer redis = RedisServers.shared();

	private static ShopProcess lab;

	@BeforeAll
	static void startLab() throws IOException {
		// No stall of the machine lasts longer than this lease.
		lab = ShopProcess.start("lab", "-Ddistributed-lock.lease=60s", "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port(), "--lab.instances=2");
		lab.awaitReady(2);
	}

	@AfterAll
	static void endLab() {
		lab.close();
	}

	@Test
	void buyersWithTheLockSellEachMugOnceAndOneByOne() throws Exception {
		List<JsonNode> reports = new CopyOnWriteArrayList<>();
		Thread reader = new Thread(() -> readReports(reports), "events");
		reader.setDaemon(true);
		reader.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !reports.isEmpty());
		assertThat(run("locked=true&think=100").statusCode()).isEqualTo(200);
		JsonNode stock = lab.awaitEndOfRun();
		assertThat(stock.get("sold").asInt()).isEqualTo(MUGS);
		assertThat(stock.get("left").asInt()).isZero();
		assertThat(stock.get("oversold").asInt()).isZero();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> of(reports, "idle").count() == 2);
		List<JsonNode> turns = of(reports, "holding").toList();
		assertThat(turns.stream().map((turn) -> turn.get("instance").asString())).contains("shop-1", "shop-2");
		assertThat(of(reports, "sold")).hasSize(MUGS);
		List<JsonNode> changes = new ArrayList<>(Stream.concat(turns.stream(), of(reports, "writing")).toList());
		changes.sort((a, b) -> Double.compare(a.get("at").asDouble(), b.get("at").asDouble()));
		for (int i = 0; i < changes.size(); i += 2) {
			assertThat(changes.get(i).get("token")).as("turn %s", changes.get(i))
				.isEqualTo(changes.get(i + 1).get("token"));
		}
	}

	@Test
	void buyersWithoutTheLockOversell() throws Exception {
		assertThat(run("locked=false&think=20").statusCode()).isEqualTo(200);
		JsonNode stock = lab.awaitEndOfRun();
		assertThat(stock.get("sold").asInt()).isGreaterThan(MUGS);
		assertThat(stock.get("oversold").asInt()).isEqualTo(stock.get("sold").asInt() - MUGS);
	}

	@Test
	void secondRunIsRefusedUntilTheFirstIsStopped() throws Exception {
		assertThat(run("locked=true&think=200").statusCode()).isEqualTo(200);
		HttpResponse<String> second = run("locked=true");
		assertThat(second.statusCode()).isEqualTo(409);
		assertThat(second.body()).contains("A run is in progress");
		assertThat(lab.post("/stop").statusCode()).isEqualTo(200);
		JsonNode stock = lab.awaitEndOfRun();
		assertThat(stock.get("sold").asInt()).isLessThan(MUGS);
		assertThat(stock.get("oversold").asInt()).isZero();
	}

	@Test
	void pageAndCommandsDoNotWaitForAnInstanceThatEnds() throws Exception {
		List<ProcessHandle> others = lab.children();
		assertThat(lab.post("/instances?count=3").statusCode()).isEqualTo(200);
		lab.awaitReady(3);
		ProcessHandle third = lab.children().stream().filter((child) -> !others.contains(child)).findFirst().get();
		try (ProcessFaults faults = new ProcessFaults()) {
			faults.freeze(third.pid());
			assertThat(lab.post("/instances?count=2").statusCode()).isEqualTo(200);
			assertThat(lab.state().get("instances")).hasSize(2);
			assertThat(third.isAlive()).isTrue();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !third.isAlive());
		}
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			/run?locked=true&mugs=0,                     400, 'mugs' must be from 1 to 1000
			/run?locked=true&buyers=5,                   400, 'buyers' must be from 1 to 4
			/instances?count=5,                          400, 'count' must be from 2 to 4
			/instances/shop-9/faults?fault=PAUSE,        404, No instance shop-9
			/instances/holder/faults?fault=PAUSE,        409, No instance holds the lock
			/instances/shop-1/start,                     409, shop-1 is alive
			/server/restart,                             409, The lab cannot restart this server
			""", quoteCharacter = '"')
	void refusedCommandIsAnsweredWithTheReason(String path, int status, String reason) throws Exception {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> redis.call("EXISTS", "disLock:mug").equals("0"));
		HttpResponse<String> response = lab.post(path);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(new ObjectMapper().readTree(response.body()).get("detail").asString()).startsWith(reason);
	}

	@Test
	void pageNeedsNothingFromElsewhere() throws Exception {
		for (String file : List.of("/", "/lab.css", "/lab.js")) {
			assertThat(lab.get(file)).as(file).isNotBlank().doesNotContain("http://", "https://", "@import");
		}
	}

	private static HttpResponse<String> run(String parameters) throws Exception {
		return lab.post("/run?buyers=2&mugs=" + MUGS + "&" + parameters);
	}

	private static Stream<JsonNode> of(List<JsonNode> reports, String state) {
		return reports.stream().filter((report) -> report.get("state").asString().equals(state));
	}

	/**
	 * Reads the stream of events until the lab ends.
	 */
	private static void readReports(List<JsonNode> reports) {
		try (Stream<String> lines = lab.events()) {
			lines.filter((line) -> line.startsWith("data:[")).forEach((line) -> {
				JsonNode batch = new ObjectMapper().readTree(line.substring("data:".length()));
				reports.addAll(StreamSupport.stream(batch.spliterator(), false).toList());
			});
		}
		catch (IOException | InterruptedException | RuntimeException ex) {
			// The lab has ended, and the stream with it.
		}
	}

}
