package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Parses keys, and says what to write instead of those that cannot work.
 */
final class KeyExpressionParser {

	private final FragmentParser fragments;

	KeyExpressionParser(FragmentParser fragments) {
		this.fragments = fragments;
	}

	/**
	 * Parses a key.
	 * @param texts what the annotation says, part by part
	 * @param lockable the annotated method
	 * @param names the names of its arguments
	 * @return the parsed key
	 * @throws InvalidDistributedLockableException if the key cannot work
	 */
	KeyExpression parse(String[] texts, LockableMethod lockable, ArgumentNames names) {
		List<KeyPart> parts = new ArrayList<>();
		for (String text : texts) {
			parts.add(part(text, lockable, names));
		}
		return new KeyExpression(describe(texts), InvalidDistributedLockableException.describe(lockable.method()),
				parts);
	}

	private KeyPart part(String text, LockableMethod lockable, ArgumentNames names) {
		try {
			if (text.isBlank()) {
				throw new InvalidExpressionException("is blank",
						"Write the name of the lock, such as key = \"%s\".".formatted(names.exampleKey()));
			}
			List<KeyFragment> parsed = this.fragments.parse(text, names);
			for (KeyFragment fragment : parsed) {
				if (fragment instanceof KeyFragment.Spel spel) {
					Concatenations.checkPlace(spel.expression().getAST());
				}
			}
			if (parsed.get(0) instanceof KeyFragment.Spel spel && spel.toString().equals(text)) {
				ExpressionRules.checkWholeKey(spel.expression().getAST());
			}
			return new KeyPart(parsed);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"the key '%s' %s".formatted(text, ex.getProblem()), action(text, names, ex), ex.getCause());
		}
	}

	private String action(String text, ArgumentNames names, InvalidExpressionException problem) {
		if (problem.getAction() != null) {
			return problem.getAction();
		}
		String template = this.fragments.suggestTemplate(text, names);
		if (template != null) {
			return "To put variables into a text, write a template: key = \"%s\".".formatted(template);
		}
		return "Write one SpEL expression (\"#order.id\"), a template (\"order-#{#id}\"), or a text without '#'.";
	}

	private static String describe(String[] texts) {
		if (texts.length == 1) {
			return "'" + texts[0] + "'";
		}
		return Arrays.stream(texts).map((text) -> "'" + text + "'").collect(Collectors.joining(", ", "{", "}"));
	}

}
