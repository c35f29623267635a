package io.lockable.redis.script;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LuaScriptHints}.
 */
class LuaScriptHintsTests {

	@Test
	void everyScriptIsInANativeImage() throws IOException {
		RuntimeHints hints = new RuntimeHints();
		registered().registerHints(hints, getClass().getClassLoader());
		List<String> scripts = new ArrayList<>();
		try (DirectoryStream<Path> files = Files
			.newDirectoryStream(Path.of("src/main/resources/io/lockable/redis/script"))) {
			files.forEach((file) -> scripts.add("io/lockable/redis/script/" + file.getFileName()));
		}
		assertThat(scripts)
			.contains("io/lockable/redis/script/acquire.lua", "io/lockable/redis/script/redlock_acquire.lua")
			.allSatisfy((script) -> assertThat(RuntimeHintsPredicates.resource().forResource(script)).as(script)
				.accepts(hints));
	}

	private static RuntimeHintsRegistrar registered() {
		return SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter(LuaScriptHints.class::isInstance)
			.findFirst()
			.orElseThrow();
	}

}
