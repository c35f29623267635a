package io.lockable.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.redis.RedisLockStore;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.logging.LogType;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of all locks, at {@code /actuator/locks} of the lab, in Chromium. This JVM
 * holds the locks, and the instance of the lab waits for one of them. Writes
 * {@code target/locks.png}, like {@code docs/images/locks.png}.
 */
@Tag("extended")
@Tag("any-jdk")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocksPageIntegrationTests {

	private static final String MUG = "disLock:mug";

	/**
	 * An instance reports at most 1,000 locks, of which two are no orders.
	 */
	private static final int ORDERS = 998;

	@TempDir(cleanup = CleanupMode.NEVER)
	private static Path profile;

	private static RedisTestServer redis;

	private static LettuceConnectionFactory connections;

	private static LockEngine checkout;

	private static LockEngine audit;

	private static ShopProcess lab;

	private static Chromium browser;

	@BeforeAll
	static void start() throws Exception {
		Chromium.assumeInstalled();
		redis = RedisServers.start();
		connections = new LettuceConnectionFactory(redis.host(), redis.port());
		connections.afterPropertiesSet();
		connections.start();
		checkout = engine("checkout");
		audit = engine("audit");
		start("payments", () -> lock(checkout, MUG, "Checkout.pay").run(() -> new CompletableFuture<Void>().join()));
		transfer("transfer-1", checkout, "account:17", "account:99");
		transfer("transfer-2", audit, "account:99", "account:17");
		lab = ShopProcess.start("locks-page", "--spring.data.redis.host=" + redis.host(),
				"--spring.data.redis.port=" + redis.port(), "--lab.instances=1");
		lab.awaitReady(1);
		assertThat(lab.post("/run?locked=true&buyers=1").statusCode()).isEqualTo(200);
		browser = Chromium.start(profile);
	}

	private static LockEngine engine(String application) {
		return LockEngine.builder(new RedisLockStore(new StringRedisTemplate(connections)))
			.application(application)
			.shutdownTimeout(Duration.ofSeconds(1))
			.build();
	}

	private static DistributedLock lock(LockEngine engine, String key, String name) {
		return engine.get(key, LockOptions.defaults().withName(name).withWaitTime(Duration.ofMinutes(10)));
	}

	/**
	 * Starts a call that holds one lock, and waits for that of the other transfer.
	 */
	private static void transfer(String thread, LockEngine engine, String key, String next) {
		start(thread, () -> lock(engine, key, "Accounts.transfer").run(() -> {
			DistributedLock other = lock(engine, next, "Accounts.transfer");
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(other::isLocked);
			other.run(() -> {
			});
		}));
	}

	private static void start(String name, Runnable task) {
		Thread thread = new Thread(new FutureTask<>(task, null), name);
		thread.setDaemon(true);
		thread.start();
	}

	@AfterAll
	static void close() {
		if (browser != null) {
			browser.quit();
		}
		if (lab != null) {
			lab.close();
		}
		if (redis != null) {
			checkout.close();
			audit.close();
			connections.destroy();
			redis.close();
		}
	}

	@Test
	@Order(1)
	void exceptionTableAndPageNameTheSameHolder() throws Exception {
		browser.get(lab.url());
		Chromium.await(() -> log().contains("was not acquired within 10s"));
		assertThat(log()).contains(
				"Lock '%s' for Shop.buy(String, LongConsumer) was not acquired within 10s: another owner holds it: "
					.formatted(MUG) + "'payments' of %s, for ".formatted(checkout.instance()),
				" in Checkout.pay.");
		// The first answer of a cold JVM may lack instances.
		String table = Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> lab.get("/actuator/locks", "text/plain"), (text) -> text.contains(": 4 instances\n"));
		assertThat(table.lines()).filteredOn((line) -> line.startsWith(MUG + " "))
			.map((line) -> List.of(line.split(" {2,}")).subList(1, 4))
			.contains(List.of("Checkout.pay", checkout.instance(), "payments"));
		open();
		assertThat(row("held", MUG)).startsWith(MUG, "Checkout.pay", checkout.instance(), "payments");
		assertThat(row("waiting", MUG)).startsWith(MUG, "Shop.buy").element(3).isEqualTo("buyer-1");
	}

	private static String log() {
		return String.valueOf(browser.executeScript("return document.getElementById('log').textContent"));
	}

	@Test
	@Order(2)
	void callsThatWaitForEachOtherAreDrawn() throws IOException {
		open();
		assertThat(browser.element("graph").getText()).startsWith("Possible deadlock: ")
			.contains("transfer-1 · " + checkout.instance(), "transfer-2 · " + audit.instance(), "buyer-1 · shop-1@");
		assertThat(browser.findElements(By.cssSelector("#graph path.circle"))).hasSize(2);
		browser.screenshot("names", Path.of("target", "locks.png"));
		browser.assertAccessible("light");
		browser.dark(true);
		browser.assertAccessible("dark");
		browser.dark(false);
	}

	@Test
	@Order(3)
	void thousandLocksAreSearchedAndSorted() throws Exception {
		for (int i = 1; i <= ORDERS; i++) {
			lock(checkout, "order:%04d".formatted(i), "Orders.ship").acquire();
		}
		open();
		assertThat(browser.element("summary").getText()).startsWith("1001 held, 3 waiting, 4 instances")
			.doesNotContain("more than");
		assertThat(rows("held")).hasSize(1001);
		sort("Key");
		assertThat(key(0)).isEqualTo("account:17");
		assertThat(key(1000)).isEqualTo("order:0998");
		sort("Key");
		assertThat(key(0)).isEqualTo("order:0998");
		sort("Token");
		assertThat(key(1000)).isEqualTo("order:0998");
		assertThat(browser.findElements(By.cssSelector("#held th[aria-sort]"))).extracting(WebElement::getText)
			.containsExactly("Token");
		browser.element("search").sendKeys("ORDER:004");
		assertThat(rows("held")).hasSize(10).allMatch((row) -> row.getText().startsWith("order:004"));
		assertThat(browser.element("waiting").getText()).contains("None matches the search.");
	}

	private static void sort(String column) {
		browser.findElement(By.xpath("//table[@id='held']//button[text()='" + column + "']")).click();
	}

	private static String key(int row) {
		return rows("held").get(row).findElement(By.tagName("td")).getText();
	}

	@Test
	@Order(4)
	void pageFitsAPhone() throws IOException {
		browser.resize(Chromium.PHONE_WIDTH);
		open();
		browser.assertFits("#search, #refresh");
		browser.element("search").sendKeys("account");
		browser.screenshot("names", Path.of("target", "locks-phone.png"));
		browser.assertAccessible("phone");
		browser.resize(Chromium.WIDTH);
	}

	/**
	 * Opens the page, which must request nothing from other hosts and log no error.
	 */
	private static void open() {
		browser.get(lab.url() + "actuator/locks");
		Chromium.await(() -> browser.element("summary").getText().contains(" held, "));
		assertThat((List<?>) browser
			.executeScript("return performance.getEntriesByType('resource').map((entry) => entry.name)")).isNotEmpty()
			.allMatch((address) -> address.toString().startsWith(lab.url()));
		assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).isEmpty();
	}

	private static List<WebElement> rows(String table) {
		return browser.findElements(By.cssSelector("#" + table + " tbody tr"));
	}

	private static List<String> row(String table, String key) {
		return browser.findElements(By.xpath("//table[@id='" + table + "']//tr[td[1]='" + key + "']/td"))
			.stream()
			.map(WebElement::getText)
			.toList();
	}

}
