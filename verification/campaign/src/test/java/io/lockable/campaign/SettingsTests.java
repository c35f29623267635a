package io.lockable.campaign;

import java.time.Duration;

import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Settings}.
 */
class SettingsTests {

	@Test
	void withoutFlagsEachFaultMeetsOursOnce() {
		Settings settings = Settings.parse();
		assertThat(settings.faults()).isEqualTo(Faults.ALL);
		assertThat(settings.seeds()).hasSize(1);
		assertThat(settings.time()).isZero();
		assertThat(settings.contestants()).containsExactly("ours-mixed-lettuce", "ours-mixed-jedis");
	}

	@Test
	void flagsAreRead() {
		Settings settings = Settings.parse("--faults", "stall,delay", "--seeds", "1-3,42", "--seconds", "1.5",
				"--contestants", "wrong,redisson");
		assertThat(settings.faults()).extracting(Fault::name).containsExactly("stall", "delay");
		assertThat(settings.seeds()).containsExactly(1L, 2L, 3L, 42L);
		assertThat(settings.time()).isEqualTo(Duration.ofMillis(1500));
		assertThat(settings.contestants()).containsExactly("wrong-delete", "wrong-deadline", "wrong-tokens",
				"wrong-recall", "wrong-entry", "wrong-leak", "redisson");
	}

	@Test
	void unknownNamesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--faults", "flood"))
			.withMessageContaining("flood");
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--contestants", "theirs"))
			.withMessageContaining("theirs");
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--speed", "9"));
	}

	@Test
	void flagsOfASoakAreRead() {
		SoakSettings settings = SoakSettings.parse("--soak", "30m", "--seeds", "7");
		assertThat(settings.time()).isEqualTo(Duration.ofMinutes(30));
		assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(10));
		assertThat(settings.workers()).hasSize(4).endsWith("ours-mixed-jedis");
		assertThat(settings.repeat())
			.isEqualTo("./verification/campaign/run --soak 1800s --processes 4 --keys 10000 --seeds 7"
					+ " --contestants ours-mixed-lettuce,ours-mixed-jedis");
		assertThatIllegalArgumentException().isThrownBy(() -> SoakSettings.parse("--soak", "long"))
			.withMessageContaining("30m");
		assertThatIllegalArgumentException().isThrownBy(() -> SoakSettings.parse("--soak", "1s"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> SoakSettings.parse("--soak", "30m", "--contestants", "ours-postgresql"))
			.withMessageContaining("ours-postgresql");
	}

	@Test
	void faultsHaveNamesOfTheirOwn() {
		assertThat(Faults.ALL).extracting(Fault::name).doesNotHaveDuplicates();
		assertThat(Settings.USAGE).contains(Faults.ALL.stream().map(Fault::name).toList());
	}

}
