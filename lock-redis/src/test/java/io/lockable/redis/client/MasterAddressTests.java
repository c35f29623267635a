package io.lockable.redis.client;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link MasterAddress}.
 */
class MasterAddressTests {

	@ParameterizedTest
	@CsvSource({ "redis1, redis1, 6379", "redis1:7000, redis1, 7000", "redis_1:7000, redis_1, 7000",
			"10.0.0.1:7000, 10.0.0.1, 7000", "[::1]:7000, ::1, 7000", "redis://redis1, redis1, 6379",
			"rediss://redis1:7000, redis1, 7000", "' redis1:7000 ', redis1, 7000" })
	void hostAndPortAreRead(String address, String host, int port) {
		MasterAddress parsed = MasterAddress.of(address);
		assertThat(parsed.host()).isEqualTo(host);
		assertThat(parsed.port()).isEqualTo(port);
	}

	@Test
	void allElseIsThatOfTheApplication() {
		MasterAddress parsed = MasterAddress.of("redis1:7000");
		assertThat(parsed.username()).isNull();
		assertThat(parsed.password()).isNull();
		assertThat(parsed.database()).isNull();
		assertThat(parsed.encrypted()).isNull();
	}

	@Test
	void addressMayHaveAllOfItsOwn() {
		MasterAddress parsed = MasterAddress.of("rediss://shop:a%40b+c@redis1:7000/3");
		assertThat(parsed.username()).isEqualTo("shop");
		assertThat(parsed.password()).isEqualTo("a@b+c");
		assertThat(parsed.database()).isEqualTo(3);
		assertThat(parsed.encrypted()).isTrue();
		assertThat(parsed).asString().isEqualTo("redis1:7000");
	}

	@Test
	void passwordNeedsNoUser() {
		MasterAddress parsed = MasterAddress.of("redis://:secret@redis1");
		assertThat(parsed.username()).isNull();
		assertThat(parsed.password()).isEqualTo("secret");
		assertThat(parsed.encrypted()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":7000", "redis1:", "redis1:x", "redis1:0", "redis1:65536", "http://redis1", "a b",
			"redis://user:secret@", "redis1/x", "user:secret@redis1:x", "a:1,b:2",
			"redis://user:sec\nret:secret@redis1 x" })
	void otherTextIsRefusedWithoutItsPassword(String address) {
		assertThatIllegalArgumentException().isThrownBy(() -> MasterAddress.of(address))
			.withMessageContaining("of a master must be")
			.withMessageNotContaining("sec");
	}

	@Test
	void credentialsThatAreNotEncodedAreNotShown() {
		assertThatIllegalArgumentException().isThrownBy(() -> MasterAddress.of("redis://shop:%se%cret@redis1"))
			.withMessageContaining("must be percent-encoded")
			.withMessageNotContaining("%se")
			.withNoCause();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis://shop@redis1", "shop:@redis1" })
	void userNeedsAPassword(String address) {
		assertThatIllegalArgumentException().isThrownBy(() -> MasterAddress.of(address))
			.withMessageContaining("must be followed by its password")
			.withMessageNotContaining("shop");
	}

}
