package io.lockable.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
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
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the lab in Chromium. The steps build on one another, so that the screenshot
 * shows them all. {@code -Dlockable.lab.screenshot=../docs/images/lab.png} updates the
 * README.
 */
@Tag("extended")
@Tag("any-jdk")
@Timeout(900)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LabBrowserIntegrationTests {

	private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final int WIDTH = 1200;

	private static final int PHONE_WIDTH = 390;

	/**
	 * The rows of the table of the last runs.
	 */
	private static final int SHOWN_RUNS = 6;

	@TempDir(cleanup = CleanupMode.NEVER)
	private static Path profile;

	private static ShopProcess lab;

	private static ChromeDriver browser;

	@BeforeAll
	static void open() throws IOException {
		Assumptions.assumeTrue(Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
				"No Chromium: install the packages 'chromium' and 'chromium-driver'");
		lab = ShopProcess.start("lab-browser");
		lab.awaitReady(3);
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.SEVERE);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(CHROMIUM.toFile());
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		options.addArguments("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
				"--disable-dev-shm-usage", "--user-data-dir=" + profile);
		browser = new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
			.usingAnyFreePort()
			.withTimeout(Duration.ofMinutes(2))
			.build(), options);
		browser.manage().timeouts().scriptTimeout(PATIENCE);
		resize(WIDTH);
		browser.get(lab.url());
		await(() -> element("locked").isEnabled());
	}

	@AfterAll
	static void close() {
		if (browser != null) {
			browser.quit();
		}
		if (lab != null) {
			lab.close();
		}
	}

	@Test
	@Order(1)
	void buyersWithoutTheLockOversell() {
		browser.executeScript("document.getElementById('think').value = '500'");
		element("unlocked").click();
		awaitRuns(1);
		browser.executeScript("document.getElementById('think').value = '100'");
		assertThat(number("oversold")).isPositive();
		assertThat(element("over").getDomAttribute("class")).isEqualTo("bad");
		assertThat(element("verdict").getText()).endsWith("but only 100 exist.");
	}

	@Test
	@Order(2)
	void buyersWithTheLockSellWhatExists() {
		element("locked").click();
		awaitRuns(2);
		assertThat(number("sold")).isEqualTo(100);
		assertThat(number("oversold")).isZero();
		assertThat(browser.findElements(By.cssSelector(".lanes li"))).hasSize(9);
		assertThat(element("times").findElement(By.xpath("..")).getText()).contains("Hand-off").contains("median");
	}

	/**
	 * A fault without a run starts one.
	 */
	@Test
	@Order(3)
	void pausedHolderLosesTheLockAndItsWriteIsRefused() {
		int runs = 2;
		// A pause before the purchase or after its write leaves no stale write: then
		// again.
		for (int attempt = 1; attempt < 5 && !isStaleWriteRefused(); attempt++) {
			element("pause").click();
			await(() -> !browser.findElements(By.cssSelector(".status.PAUSED")).isEmpty());
			awaitRuns(++runs);
			assertThat(number("oversold")).isZero();
		}
		assertThat(log()).contains("is paused (SIGSTOP)")
			.contains("The lease of shop-")
			.contains("acquired the lock with token");
		assertThat(log()).contains("used the stale fencing token").contains("The stock refused it");
		assertThat(number("refused")).isPositive();
		assertThat(error()).isEmpty();
	}

	@Test
	@Order(4)
	void pageIsAccessibleInLightAndDarkModeAndOnAPhone() throws IOException {
		await(() -> element("holder").getText().equals("free") && browser.findElements(By.cssSelector(".say"))
			.stream()
			.allMatch((word) -> word.getText().equals("done")));
		screenshot(Path.of("target", "lab.png"));
		String copy = System.getProperty("lockable.lab.screenshot", "");
		if (!copy.isEmpty()) {
			screenshot(Path.of(copy));
		}
		assertAccessible("light");
		dark(true);
		assertAccessible("dark");
		screenshot(Path.of("target", "lab-dark.png"));
		resize(PHONE_WIDTH);
		assertAccessible("dark, phone");
		dark(false);
		assertAccessible("light, phone");
		screenshot(Path.of("target", "lab-phone.png"));
		assertThat(browser.executeScript("return document.documentElement.scrollWidth")).isEqualTo((long) PHONE_WIDTH);
		resize(WIDTH);
	}

	@Test
	@Order(5)
	void killedInstanceIsShownAndRestarts() {
		element("locked").click();
		await(() -> number("sold") > 0 && number("sold") < 100);
		element("kill").click();
		await(() -> !browser.findElements(By.cssSelector(".status.DEAD")).isEmpty());
		WebElement start = browser.findElement(By.xpath("//button[text()='Start' and not(@hidden)]"));
		start.click();
		await(() -> browser.findElements(By.cssSelector(".status.READY")).size() == 3);
		await(() -> element("locked").isEnabled());
		assertThat(number("oversold")).isZero();
	}

	@Test
	@Order(6)
	void pageThatOpensShowsTheRunAndTheStorySoFar() {
		browser.executeScript("document.getElementById('think').value = '500'");
		element("locked").click();
		await(() -> element("stop").isEnabled() && number("sold") > 0);
		int runs = runs();
		String first = browser.getWindowHandle();
		browser.switchTo().newWindow(WindowType.TAB);
		browser.get(lab.url());
		awaitRunInProgress();
		assertThat(runs()).isEqualTo(runs);
		browser.navigate().refresh();
		awaitRunInProgress();
		element("stop").click();
		awaitResult();
		String verdict = verdict();
		browser.navigate().refresh();
		await(() -> verdict().equals(verdict));
		assertThat(runs()).isEqualTo(Math.min(runs + 1, SHOWN_RUNS));
		assertThat(log()).contains("Run without the lock.", "Run with the lock.", "is paused (SIGSTOP)");
		browser.close();
		browser.switchTo().window(first);
		browser.executeScript("document.getElementById('think').value = '100'");
	}

	private static void awaitResult() {
		await(() -> element("locked").isEnabled() && verdict().endsWith("none oversold."));
	}

	private static int runs() {
		return browser.findElements(By.cssSelector("#runs tbody tr")).size();
	}

	private static void awaitRunInProgress() {
		await(() -> verdict().equals("One purchase at a time …") && element("stop").isEnabled()
				&& !element("locked").isEnabled());
		assertThat(log()).contains("Run with the lock.");
		assertThat(browser.findElements(By.cssSelector(".lanes li"))).hasSize(9);
	}

	@Test
	@Order(7)
	void doubleClickStartsOneRun() {
		new Actions(browser).doubleClick(element("locked")).perform();
		await(() -> number("sold") > 0 && number("sold") < 100);
		assertThat(error()).isEmpty();
		element("stop").click();
		awaitResult();
	}

	@Test
	@Order(8)
	void emptyNumberOfMugsStartsNoRun() throws Exception {
		browser.executeScript("document.getElementById('mugs').value = ''");
		element("locked").click();
		await(() -> error().equals("Enter the number of mugs, from 1 to 1000"));
		assertThat(lab.state().get("running").asBoolean()).isFalse();
	}

	@Test
	@Order(9)
	void refusalIsShown() {
		browser.executeScript("document.getElementById('mugs').value = 0");
		element("locked").click();
		await(() -> error().equals("'mugs' must be from 1 to 1000, was 0"));
		// The browser logs the answer 400 as an error of its own.
		assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).isNotEmpty()
			.allMatch((entry) -> entry.getMessage().contains("status of 400"));
	}

	private static boolean isStaleWriteRefused() {
		return log().contains("used the stale fencing token") && log().contains("The lease of shop-");
	}

	private static void awaitRuns(int runs) {
		await(() -> browser.findElements(By.cssSelector("#runs tbody tr")).size() == runs
				&& element("locked").isEnabled());
	}

	private static void await(BooleanSupplier condition) {
		Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(condition::getAsBoolean);
	}

	private static WebElement element(String id) {
		return browser.findElement(By.id(id));
	}

	private static int number(String id) {
		String text = element(id).getText();
		return text.matches("\\d+") ? Integer.parseInt(text) : 0;
	}

	private static String log() {
		return String.valueOf(browser.executeScript("return document.getElementById('log').textContent"));
	}

	private static String verdict() {
		return element("verdict").getText();
	}

	private static String error() {
		return element("error").getText();
	}

	private static void resize(int width) {
		browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", 1000, "deviceScaleFactor", 1, "mobile", false));
	}

	private static void dark(boolean dark) {
		browser.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	private static void screenshot(Path file) throws IOException {
		Map<String, Object> answer = browser.executeCdpCommand("Page.captureScreenshot",
				Map.of("captureBeyondViewport", true));
		Files.write(file, Base64.getDecoder().decode(String.valueOf(answer.get("data"))));
	}

	private static void assertAccessible(String mode) {
		browser.executeScript(axe());
		Object findings = browser.executeAsyncScript("""
				const done = arguments[arguments.length - 1];
				axe.run().then((result) => done(result.violations
					.filter((it) => it.impact === 'serious' || it.impact === 'critical')
					.flatMap((it) => it.nodes.map((node) => it.id + ': ' + node.html + ' ' + node.failureSummary))),
					(error) => done(['axe failed: ' + error]));
				""");
		assertThat((List<?>) findings).as(mode).isEmpty();
	}

	private static String axe() {
		String file = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
		try (InputStream script = LabBrowserIntegrationTests.class.getResourceAsStream(file)) {
			return new String(script.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
