package io.lockable.engine.machine;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Effect}.
 */
class EffectTests {

	static Stream<Class<?>> types() {
		return Stream.of(Effect.class.getPermittedSubclasses());
	}

	@ParameterizedTest
	@MethodSource("types")
	void handlerIsCalledWithTheEffect(Class<?> type) throws ReflectiveOperationException {
		Constructor<?> constructor = type.getDeclaredConstructors()[0];
		Effect effect = (Effect) constructor
			.newInstance(Stream.of(constructor.getParameterTypes()).map(EffectTests::any).toArray());
		Effect.Handler<?> handler = (Effect.Handler<?>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Effect.Handler.class }, (proxy, method, arguments) -> {
					assertThat(method.getParameterTypes()).containsExactly(type);
					return arguments[0];
				});
		assertThat((Object) effect.accept(handler)).isSameAs(effect);
	}

	private static Object any(Class<?> type) {
		if (type == boolean.class) {
			return false;
		}
		if (type == long.class) {
			return 0L;
		}
		if (type == List.class) {
			return List.of();
		}
		return (type == Duration.class) ? Duration.ZERO : null;
	}

}
