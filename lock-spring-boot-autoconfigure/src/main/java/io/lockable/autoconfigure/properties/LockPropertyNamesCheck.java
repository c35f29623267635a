package io.lockable.autoconfigure.properties;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.lockable.Internal;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
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
 */
@Internal
public final class LockPropertyNamesCheck implements BeanFactoryPostProcessor {

	private static final Logger logger = LoggerFactory.getLogger(LockPropertyNamesCheck.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("distributed-lock");

	private final Environment environment;

	/**
	 * Creates a check.
	 * @param environment the properties of the application
	 */
	public LockPropertyNamesCheck(Environment environment) {
		this.environment = environment;
	}

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
				iterable.stream().filter(ROOT::isAncestorOf).forEach((name) -> {
					if (!isKnown(name, known)) {
						ConfigurationProperty property = source.getConfigurationProperty(name);
						unknown.put(name.toString(), (property != null) ? property.getOrigin() : null);
					}
				});
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
		Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
		if (!NativeDetector.inNativeImage()) {
			addNames(ROOT, DistributedLockProperties.class, names);
		}
		return names;
	}

	private static void addNames(ConfigurationPropertyName parent, Class<?> type,
			Set<ConfigurationPropertyName> names) {
		for (RecordComponent component : type.getRecordComponents()) {
			ConfigurationPropertyName name = parent.append(DataObjectPropertyName.toDashedForm(component.getName()));
			if (component.getType().isRecord()) {
				addNames(name, component.getType(), names);
			}
			else {
				names.add(name);
			}
		}
	}

	/**
	 * Finds the name that was probably meant.
	 * @param unknown the name of an unknown property
	 * @return the most similar known name, or {@code null} if none is similar
	 */
	private static @Nullable String suggest(String unknown) {
		String best = null;
		int least = Integer.MAX_VALUE;
		for (ConfigurationPropertyName name : known()) {
			if (unknown.startsWith(name + "-")) {
				return name.toString();
			}
			int distance = distance(unknown, name.toString());
			if (distance < least) {
				least = distance;
				best = name.toString();
			}
		}
		return (best != null && least <= (best.length() - ROOT.toString().length()) / 2) ? best : null;
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
