package io.lockable.autoconfigure.properties;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.Internal;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds unknown properties before the others take effect. A misspelled name would leave a
 * lock with an unintended default. The components of {@link DistributedLockProperties}
 * are the known properties.
 *
 * @param environment the properties of the application
 */
@Internal
public record LockPropertyNamesCheck(Environment environment) implements BeanFactoryPostProcessor {

	private static final Logger logger = LoggerFactory.getLogger(LockPropertyNamesCheck.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("distributed-lock");

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Reaction reaction = Binder.get(this.environment)
			.bind("distributed-lock.check.unknown-property", Reaction.class)
			.orElse(Reaction.FAIL);
		if (reaction != Reaction.IGNORE) {
			findUnknown(this.environment).forEach((name, origin) -> report(reaction, name, origin));
		}
	}

	private static void report(Reaction reaction, String name, @Nullable Origin origin) {
		String property = name.substring(InvalidLockPropertyException.PREFIX.length());
		String suggestion = suggest(name);
		String action = (suggestion != null) ? "Write %s, if this property is meant.".formatted(suggestion)
				: "Remove it, or correct its name.";
		InvalidLockPropertyException problem = new InvalidLockPropertyException(property, "is not a known property",
				action + " For properties of your own, choose another prefix, or set distributed-lock.check.unknown-property to warn or ignore.");
		if (reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{}{}. {}", problem.getMessage(), (origin != null) ? ", set in " + origin : "",
				problem.getAction());
	}

	/**
	 * Finds unknown properties. Environment variables are ignored: their names are
	 * ambiguous, and may serve other purposes.
	 * @param environment the properties of the application
	 * @return their names and origins; empty if the known properties cannot be determined
	 */
	private static Map<String, @Nullable Origin> findUnknown(Environment environment) {
		Map<String, @Nullable Origin> unknown = new TreeMap<>();
		Set<ConfigurationPropertyName> known = known();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable && !isEnvironment(source)) {
				iterable.stream()
					.filter((name) -> ROOT.isAncestorOf(name) && !isKnown(name, known))
					.forEach(
							(name) -> unknown.put(name.toString(), Origin.from(source.getConfigurationProperty(name))));
			}
		}
		return unknown;
	}

	private static boolean isEnvironment(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof PropertySource<?> underlying
				&& underlying.getName().startsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
	}

	private static boolean isKnown(ConfigurationPropertyName name, Set<ConfigurationPropertyName> known) {
		ConfigurationPropertyName property = name;
		while (property.isLastElementIndexed()) {
			property = property.getParent();
		}
		return known.isEmpty() || known.contains(property);
	}

	/**
	 * Returns the known properties.
	 * @return their names; empty in a native image, which lacks the components of records
	 */
	public static Set<ConfigurationPropertyName> known() {
		return NativeDetector.inNativeImage() ? Set.of()
				: names(ROOT, DistributedLockProperties.class).collect(Collectors.toCollection(LinkedHashSet::new));
	}

	private static Stream<ConfigurationPropertyName> names(ConfigurationPropertyName parent, Class<?> type) {
		return Stream.of(type.getRecordComponents()).flatMap((component) -> {
			ConfigurationPropertyName name = parent.append(DataObjectPropertyName.toDashedForm(component.getName()));
			return component.getType().isRecord() ? names(name, component.getType()) : Stream.of(name);
		});
	}

	/**
	 * Finds the name that was probably meant.
	 * @param unknown the name of an unknown property
	 * @return the most similar known name, or {@code null} if none is similar
	 */
	private static @Nullable String suggest(String unknown) {
		ToIntFunction<String> difference = (name) -> unknown.startsWith(name + "-") ? 0 : distance(unknown, name);
		return known().stream()
			.map(ConfigurationPropertyName::toString)
			.min(Comparator.comparingInt(difference))
			.filter((name) -> difference.applyAsInt(name) <= (name.length() - ROOT.toString().length()) / 2)
			.orElse(null);
	}

	// The Levenshtein distance, computed row by row
	private static int distance(String one, String other) {
		int[] row = new int[other.length() + 1];
		for (int j = 0; j < row.length; j++) {
			row[j] = j;
		}
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int above = row[j];
				int change = (one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1;
				row[j] = Math.min(Math.min(above, row[j - 1]) + 1, diagonal + change);
				diagonal = above;
			}
		}
		return row[other.length()];
	}

}
