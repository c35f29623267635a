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
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A headless browser for the tests of pages.
 */
final class Chromium extends ChromeDriver {

	static final int WIDTH = 1200;

	static final int PHONE_WIDTH = 390;

	/**
	 * The height of a target that a finger can hit.
	 */
	private static final int MIN_TARGET = 44;

	private static final Path BINARY = Path.of("/usr/bin/chromium");

	private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private Chromium(ChromeDriverService service, ChromeOptions options) {
		super(service, options);
	}

	/**
	 * Skips the test if the machine has no browser.
	 */
	static void assumeInstalled() {
		Assumptions.assumeTrue(Files.isExecutable(BINARY) && Files.isExecutable(DRIVER),
				"No Chromium: install the packages 'chromium' and 'chromium-driver'");
	}

	/**
	 * Starts the browser with a window of {@link #WIDTH}.
	 * @param profile an empty folder
	 * @return the browser
	 */
	static Chromium start(Path profile) {
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.SEVERE);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(BINARY.toFile());
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		options.addArguments("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
				"--disable-dev-shm-usage", "--user-data-dir=" + profile);
		Chromium browser = new Chromium(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
			.usingAnyFreePort()
			.withTimeout(Duration.ofMinutes(2))
			.build(), options);
		browser.manage().timeouts().scriptTimeout(PATIENCE);
		browser.resize(WIDTH);
		return browser;
	}

	WebElement element(String id) {
		return findElement(By.id(id));
	}

	static void await(BooleanSupplier condition) {
		Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(condition::getAsBoolean);
	}

	void resize(int width) {
		executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", 1000, "deviceScaleFactor", 1, "mobile", false));
	}

	void dark(boolean dark) {
		executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	/**
	 * Writes the page down to an element.
	 * @param last the id of the element
	 * @param file the image
	 * @throws IOException if the file cannot be written
	 */
	void screenshot(String last, Path file) throws IOException {
		Object clip = executeScript("""
				const { width } = document.documentElement.getBoundingClientRect();
				const height = document.getElementById(arguments[0]).getBoundingClientRect().bottom + scrollY + 16;
				return { x: 0, y: 0, width, height, scale: 1 };
				""", last);
		Map<String, Object> answer = executeCdpCommand("Page.captureScreenshot",
				Map.of("captureBeyondViewport", true, "clip", clip));
		Files.write(file, Base64.getDecoder().decode(String.valueOf(answer.get("data"))));
	}

	/**
	 * Asserts that the page does not scroll sideways, and that a finger can hit each
	 * target.
	 * @param targets the selector of the targets
	 * @return the visible targets
	 */
	List<WebElement> assertFits(String targets) {
		assertThat((Boolean) executeScript(
				"const page = document.documentElement; return page.scrollWidth <= page.clientWidth"))
			.isTrue();
		List<WebElement> visible = findElements(By.cssSelector(targets)).stream()
			.filter(WebElement::isDisplayed)
			.toList();
		assertThat(visible).allSatisfy((target) -> assertThat(target.getSize().getHeight()).as(target.getText())
			.isGreaterThanOrEqualTo(MIN_TARGET));
		return visible;
	}

	void assertAccessible(String mode) {
		executeScript(axe());
		Object findings = executeAsyncScript("""
				const done = arguments[arguments.length - 1];
				axe.run().then((result) => done(result.violations
						.flatMap((it) => it.nodes.map((node) => it.id + ': ' + node.html + ' ' + node.failureSummary))),
					(error) => done(['axe failed: ' + error]));
				""");
		assertThat((List<?>) findings).as(mode).isEmpty();
	}

	private static String axe() {
		String file = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
		try (InputStream script = Chromium.class.getResourceAsStream(file)) {
			return new String(script.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
