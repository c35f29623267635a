package io.lockable.spring.metadata;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.util.ReflectionUtils;

/**
 * Annotations from texts such as {@code key=a,b; expire=5}. {@code &} separates repeated
 * annotations.
 */
final class Annotations {

	private Annotations() {
	}

	static List<DistributedLockable> of(String texts) {
		return Stream.of(texts.split(" & ", -1)).map(Annotations::annotation).toList();
	}

	private static DistributedLockable annotation(String text) {
		Map<String, Object> values = new HashMap<>();
		for (String attribute : text.split("; ", -1)) {
			String[] parts = attribute.split("=", 2);
			values.put(parts[0],
					value(parts[1], ReflectionUtils.findMethod(DistributedLockable.class, parts[0]).getReturnType()));
		}
		return MergedAnnotation.of(DistributedLockable.class, values).synthesize();
	}

	private static Object value(String text, Class<?> type) {
		if (type == String[].class) {
			return text.split(",", -1);
		}
		return (type == String.class) ? text : DefaultConversionService.getSharedInstance().convert(text, type);
	}

}
