package io.lockable.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

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
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;

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

	/**
	 * The rows of the table of the last runs.
	 */
	private static final int SHOWN_RUNS = 6;

	@TempDir(cleanup = CleanupMode.NEVER)
	private static Path profile;

	private static ShopProcess lab;

	private static Chromium browser;

	@BeforeAll
	static void open() throws IOException {
		Chromium.assumeInstalled();
		lab = ShopProcess.start("lab-browser", "--lab.outage=6s");
		lab.awaitReady(3);
		browser = Chromium.start(profile);
		browser.get(lab.url());
		await(() -> !isGrey("locked"));
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
	void pageWithoutARunSaysWhatToDo() {
		assertThat(headline()).isEqualTo("Will the shop oversell?");
		assertThat(element("detail").getText()).startsWith("Press “Buy without the lock”");
		assertThat(element("without").getText()).contains("Press Buy without the lock");
		assertThat(element("with").getText()).contains("Press Buy with the lock");
		assertThat(element("fence").getText()).contains("Press “Pause the holder”");
		assertThat(browser.findElements(By.tagName("button"))).filteredOn(WebElement::isDisplayed).hasSize(4);
		assertGrey("stop", "No run is in progress.");
	}

	@Test
	@Order(2)
	void enterOnTheFirstButtonRunsWithoutTheLockAndOversells() {
		browser.executeScript("document.getElementById('think').value = '500'");
		new Actions(browser).sendKeys(Keys.TAB).perform();
		WebElement focused = browser.switchTo().activeElement();
		assertThat(focused.getDomAttribute("id")).isEqualTo("unlocked");
		assertThat(focused.getCssValue("outline-style")).isEqualTo("solid");
		new Actions(browser).sendKeys(Keys.ENTER).perform();
		await(() -> isGrey("unlocked"));
		assertGrey("unlocked", "A run is in progress.");
		assertGrey("locked", "A run is in progress.");
		assertGrey("pause", "This run has no lock, so it has no holder.");
		assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("unlocked");
		awaitRuns(1);
		browser.executeScript("document.getElementById('think').value = '100'");
		assertThat(oversold("without")).isPositive();
		assertThat(headline()).endsWith("Only 100 exist.");
		assertThat(element("hero").getDomAttribute("class")).isEqualTo("hero bad");
	}

	@Test
	@Order(3)
	void buyersWithTheLockSellWhatExists() {
		element("locked").click();
		awaitRuns(2);
		assertThat(sold()).isEqualTo(100);
		assertThat(oversold("with")).isZero();
		assertThat(oversold("without")).isPositive();
		assertThat(headline()).isEqualTo("100 mugs sold. None oversold.");
		assertThat(browser.findElements(By.cssSelector("#with .lane"))).hasSize(9);
		assertThat(element("plots").getText()).contains("Hand-off").contains("median");
	}

	@Test
	@Order(4)
	void verdictIsALiveRegion() {
		WebElement verdict = element("verdict");
		assertThat(verdict.getAriaRole()).isEqualTo("status");
		assertThat(verdict.getDomAttribute("aria-live")).isEqualTo("polite");
		assertThat(verdict.getText()).isEqualTo("100 mugs sold. None oversold.\nEach mug was sold once.");
	}

	/**
	 * A fault without a run starts one.
	 */
	@Test
	@Order(5)
	void pausedHolderLosesTheLockAndItsWriteIsRefused() {
		element("pause").click();
		await(() -> headline().equals("The stock refused a stale write"));
		long stale = Long.parseLong(element("staleToken").getText());
		long seen = Long.parseLong(element("seenToken").getText());
		assertThat(stale).isPositive().isLessThan(seen);
		assertThat(element("stamp").getText()).isEqualToIgnoringCase("Refused");
		assertThat(element("detail").getText()).contains(end(stale), end(seen));
		assertThat(browser.findElements(By.cssSelector("#scenes .past"))).hasSize(4);
		assertThat(log()).contains("is paused (SIGSTOP)")
			.contains("The lease of shop-")
			.contains("acquired the lock with token")
			.contains("used the stale fencing token " + end(stale))
			.contains("The stock refused it: it has seen " + end(seen));
		awaitRuns(3);
		assertThat(oversold("with")).isZero();
		assertThat(element("detail").getText()).contains("The stock refused 1 stale access.");
		assertThat(error()).isEmpty();
	}

	private static String end(long token) {
		String text = Long.toString(token);
		return "…" + text.substring(text.length() - 8);
	}

	@Test
	@Order(6)
	void pageIsAccessibleInLightAndDarkMode() throws IOException {
		await(() -> element("with").getText().contains("The lock is free"));
		browser.screenshot("fence", Path.of("target", "lab.png"));
		String copy = System.getProperty("lockable.lab.screenshot", "");
		if (!copy.isEmpty()) {
			browser.screenshot("fence", Path.of(copy));
		}
		browser.assertAccessible("light");
		browser.dark(true);
		browser.assertAccessible("dark");
		browser.screenshot("fence", Path.of("target", "lab-dark.png"));
		browser.dark(false);
	}

	@Test
	@Order(7)
	void pageFitsAPhone() throws IOException {
		browser.resize(Chromium.PHONE_WIDTH);
		browser.screenshot("fence", Path.of("target", "lab-phone.png"));
		element("more").click();
		assertThat(browser.assertFits("button, .button, input, select, summary")).hasSizeGreaterThan(18);
		browser.assertAccessible("light, phone");
		browser.dark(true);
		browser.assertAccessible("dark, phone");
		browser.dark(false);
		browser.resize(Chromium.WIDTH);
	}

	@Test
	@Order(8)
	void killedInstanceIsShownAndRestarts() {
		element("locked").click();
		awaitFirstSale();
		element("kill").click();
		await(() -> !browser.findElements(By.cssSelector(".status.DEAD")).isEmpty());
		WebElement start = browser.findElement(By.xpath("//button[text()='Start' and not(@hidden)]"));
		start.click();
		await(() -> browser.findElements(By.cssSelector(".status.READY")).size() == 3);
		await(() -> !isGrey("locked"));
		assertThat(oversold("with")).isZero();
	}

	@Test
	@Order(9)
	void holderOfTheRunIsNamed() {
		element("holder").click();
		await(() -> answer().startsWith("'buyer-"));
		assertThat(answer())
			.matches("'buyer-[1-3]' of shop-[1-3]@.+:\\d+ holds lock 'disLock:mug' for \\d+ ms in Shop\\.buy\\.");
		assertThat(log()).contains(answer());
		element("stop").click();
		awaitResult();
		assertFitsPhone();
	}

	@Test
	@Order(10)
	void oneCallOfADeadlockFailsAndTheOthersGoOn() {
		element("deadlock").click();
		await(() -> answer().lines().count() == 7);
		List<String> lines = answer().lines().toList();
		assertThat(lines).startsWith("Deadlock of 3 calls:");
		assertThat(lines.subList(1, 4)).allMatch((call) -> call.matches("'mover' of shop-[1-3]@.+ holds '.+' for .+ in "
				+ "Shop\\.withShelf and waits for '.+' for .+ in Shop\\.withShelf"));
		String failed = lines.get(1).substring("'mover' of ".length(), lines.get(1).indexOf('@'));
		List<String> outcomes = lines.subList(4, 7);
		assertThat(outcomes).anyMatch((line) -> line.startsWith("The call of " + failed + " fails: Lock ")
				&& line.endsWith(" was not acquired, because the call is part of a deadlock."));
		assertThat(outcomes).filteredOn((line) -> line.endsWith(" has locked both shelves."))
			.hasSize(2)
			.noneMatch((line) -> line.startsWith(failed));
		assertThat(log()).contains("Deadlock of 3 calls: ").contains(outcomes);
		assertThat(error()).isEmpty();
		assertFitsPhone();
	}

	private static String answer() {
		return element("answer").getText();
	}

	private static void assertFitsPhone() {
		browser.resize(Chromium.PHONE_WIDTH);
		browser.assertFits("button, .button, input, select, summary");
		browser.assertAccessible("an answer on a phone");
		browser.resize(Chromium.WIDTH);
	}

	@Test
	@Order(11)
	void pageThatOpensShowsTheRunAndTheStorySoFar() {
		browser.executeScript("document.getElementById('think').value = '500'");
		element("locked").click();
		awaitFirstSale();
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
		String verdict = headline();
		browser.navigate().refresh();
		await(() -> headline().equals(verdict));
		assertThat(runs()).isEqualTo(Math.min(runs + 1, SHOWN_RUNS));
		assertThat(oversold("without")).isPositive();
		assertThat(log()).contains("Run without the lock.", "Run with the lock.", "is paused (SIGSTOP)");
		browser.close();
		browser.switchTo().window(first);
		browser.executeScript("document.getElementById('think').value = '100'");
	}

	private static void awaitFirstSale() {
		await(() -> isGrey("locked") && sold() > 0 && sold() < 100);
	}

	private static void awaitResult() {
		await(() -> !isGrey("locked") && headline().endsWith("None oversold."));
	}

	private static int runs() {
		return browser.findElements(By.cssSelector("#runs tbody tr")).size();
	}

	private static void awaitRunInProgress() {
		await(() -> headline().equals("One purchase at a time …") && isGrey("locked") && !isGrey("stop"));
		assertThat(log()).contains("Run with the lock.");
		assertThat(browser.findElements(By.cssSelector("#with .lane"))).hasSize(9);
	}

	@Test
	@Order(12)
	void doubleClickStartsOneRun() {
		new Actions(browser).doubleClick(element("locked")).perform();
		awaitFirstSale();
		assertThat(error()).isEmpty();
		element("stop").click();
		awaitResult();
	}

	@Test
	@Order(13)
	void emptyNumberOfMugsStartsNoRun() throws Exception {
		browser.executeScript("document.getElementById('mugs').value = ''");
		element("locked").click();
		await(() -> error().equals("Enter the number of mugs, from 1 to 1000"));
		assertThat(lab.state().get("running").asBoolean()).isFalse();
	}

	@Test
	@Order(14)
	void refusalIsShown() {
		browser.executeScript("document.getElementById('mugs').value = 0");
		element("locked").click();
		await(() -> error().equals("'mugs' must be from 1 to 1000, was 0"));
		// The browser logs the answer 400 as an error of its own.
		assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).isNotEmpty()
			.allMatch((entry) -> entry.getMessage().contains("status of 400"));
	}

	private static boolean isGrey(String id) {
		return "true".equals(element(id).getDomAttribute("aria-disabled"));
	}

	/**
	 * A greyed button says why, to the eye and to a screen reader.
	 */
	private static void assertGrey(String id, String reason) {
		WebElement button = element(id);
		WebElement hint = element(button.getDomAttribute("aria-describedby"));
		assertThat(isGrey(id)).as(id).isTrue();
		assertThat(button.getDomAttribute("title")).isEqualTo(reason);
		assertThat(hint.getText()).isEqualTo(reason);
	}

	private static void awaitRuns(int runs) {
		await(() -> runs() == runs && !isGrey("locked"));
	}

	private static void await(BooleanSupplier condition) {
		Chromium.await(condition);
	}

	private static WebElement element(String id) {
		return browser.element(id);
	}

	/**
	 * Returns the number of mugs that the last run with the lock has sold.
	 */
	private static int sold() {
		return number("#with [data-of=sold]");
	}

	private static int oversold(String run) {
		return number("#" + run + " .flag");
	}

	/**
	 * Returns the number that a text starts with.
	 */
	private static int number(String selector) {
		String text = browser.findElement(By.cssSelector(selector)).getText();
		assertThat(text).matches("(?s)\\d+.*");
		return Integer.parseInt(text.split("\\D", 2)[0]);
	}

	private static String log() {
		return String.valueOf(browser.executeScript("return document.getElementById('log').textContent"));
	}

	private static String headline() {
		return element("headline").getText();
	}

	private static String error() {
		return element("error").getText();
	}

}
