package io.lockable.autoconfigure.properties;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

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
 * Compares the properties of an application with those that there are: the components of
 * {@link DistributedLockProperties}.
 */
@Internal
public final class LockPropertyNames {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("distributed-lock");

	private LockPropertyNames() {
	}

	/**
	 * Finds properties that do not exist. Environment variables are left out: their names
	 * are not exact, and may be about something else.
	 * @param environment what the application has set
	 * @return their names and where they are set; empty if it is not known which there
	 * are
	 */
	static Map<String, @Nullable Origin> findUnknown(Environment environment) {
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
	 * Returns the properties that there are.
	 * @return their names; none in a native image, which does not have the components of
	 * records
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
	 * Finds what may have been meant.
	 * @param unknown the name of a property that does not exist
	 * @return the most similar name that exists, or {@code null} if none is similar
	 */
	static @Nullable String suggest(String unknown) {
		String best = null;
		int least = Integer.MAX_VALUE;
		for (ConfigurationPropertyName name : known()) {
			int distance = distance(unknown, name.toString());
			if (distance < least) {
				least = distance;
				best = name.toString();
			}
		}
		return (best != null && least <= (best.length() - ROOT.toString().length()) / 2) ? best : null;
	}

	// Levenshtein's distance, a row at a time
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

	/**
	 * Finds where a property, or the first element of a list, is set.
	 * @param environment what the application has set
	 * @param name the name of the property
	 * @return the place, or {@code null} if it is not known
	 */
	static @Nullable Origin origin(Environment environment, ConfigurationPropertyName name) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property == null) {
				property = source.getConfigurationProperty(name.append("[0]"));
			}
			if (property != null) {
				return property.getOrigin();
			}
		}
		return null;
	}

}
