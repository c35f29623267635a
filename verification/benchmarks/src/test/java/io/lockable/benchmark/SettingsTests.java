package io.lockable.benchmark;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.peer.Store;
import io.lockable.benchmark.scenario.Pace;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SettingsTests {

	@Test
	void noFlagsMeanEverything() {
		Settings settings = Settings.parse();
		assertThat(settings.scenarios()).isEqualTo(Scenarios.ALL);
		assertThat(settings.peers()).isNotEmpty().allMatch((peer) -> peer.store() == Store.REDIS);
		assertThat(settings.rounds()).isEqualTo(3);
		assertThat(settings.redis()).isNull();
	}

	@Test
	void letterMeansAllItsScenarios() {
		assertThat(Settings.parse("--scenarios", "c,d,G8").scenarios()).extracting(Scenario::id)
			.containsExactly("C-empty", "C-1ms", "D", "D4", "D8", "G8");
	}

	@Test
	void familyMeansAllItsPeers() {
		assertThat(Settings.parse("--peers", "ours,redisson-fair").peers()).containsExactly(PeerKind.OURS_CONFIRMED,
				PeerKind.OURS_PIPELINED, PeerKind.OURS_RETAINED, PeerKind.OURS_JEDIS, PeerKind.REDISSON_FAIR);
	}

	@Test
	void storeHasPeersOfItsOwn() {
		assertThat(Settings.parse("--store", "postgresql").peers()).containsExactly(PeerKind.ADVISORY,
				PeerKind.SPRING_JDBC, PeerKind.SHEDLOCK_JDBC, PeerKind.OURS_POSTGRESQL);
		assertThat(Settings.parse("--store", "postgresql", "--peers", "ours").peers())
			.containsExactly(PeerKind.OURS_POSTGRESQL);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Settings.parse("--store", "postgresql", "--peers", "redisson"));
	}

	@Test
	void timesAreSeconds() {
		assertThat(Settings.parse("--seconds", "0.5", "--warmup", "1", "--renewal", "12").pace())
			.isEqualTo(new Pace(Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofSeconds(12)));
	}

	@Test
	void roundTripHasAUnit() {
		assertThat(Settings.parse().roundTrip()).isZero();
		assertThat(Settings.parse("--round-trip", "0.5ms").roundTrip()).isEqualTo(Duration.ofNanos(500_000));
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--round-trip", "0.5"));
	}

	@Test
	void redisIsHostAndPort() {
		assertThat(Settings.parse("--redis", "localhost:6379").redis())
			.isEqualTo(new InetSocketAddress("localhost", 6379));
	}

	@Test
	void unknownNamesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--peers", "zookeeper"))
			.withMessageContaining("zookeeper");
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--scenarios", "Z"))
			.withMessageContaining("Z");
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--speed", "3"))
			.withMessageContaining("--speed");
		assertThatIllegalArgumentException().isThrownBy(() -> Settings.parse("--rounds"))
			.withMessageContaining("--rounds");
	}

}
