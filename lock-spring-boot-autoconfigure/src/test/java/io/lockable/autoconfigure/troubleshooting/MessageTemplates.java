package io.lockable.autoconfigure.troubleshooting;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;

/**
 * The messages that the published classes can make: each concatenation of string literals
 * in their sources, with a hole for every value and every format specifier.
 */
final class MessageTemplates {

	private static final char HOLE = '\0';

	private static final Pattern SPECIFIER = Pattern.compile("%(?:\\d\\$)?[sd]|\\{}");

	private static final Pattern PLACEHOLDER = Pattern.compile("<[^<>]+>");

	// Below that, a template says too little to be a message by itself.
	private static final int LEAST_LETTERS = 10;

	private final Set<String> templates = new LinkedHashSet<>();

	private final Set<String> words = new HashSet<>();

	private final Map<String, Boolean> known = new HashMap<>();

	/**
	 * Reads sources.
	 * @param folders the folders with the sources
	 * @param others the texts that may stand for a value, such as those of other programs
	 */
	MessageTemplates(List<Path> folders, Set<String> others) {
		this.words.addAll(others);
		folders.forEach(this::read);
	}

	/**
	 * Returns whether the sources can make a message.
	 * @param message the message, with names in angle brackets for its values
	 * @return whether a template matches it or its end, and a further literal, template
	 * or name stands for each value
	 */
	boolean canMake(String message) {
		return isMessage(message) || (isKnown(message)
				&& IntStream.range(1, message.length()).mapToObj(message::substring).anyMatch(this::isMessage));
	}

	private boolean isMessage(String text) {
		return this.templates.stream()
			.filter((template) -> template.chars().filter(Character::isLetter).count() >= LEAST_LETTERS)
			.anyMatch((template) -> matches(text, 0, template, 0));
	}

	private void read(Path folder) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (Stream<Path> files = Files.walk(folder);
				StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			sources.forEach((source) -> this.words.add(source.getFileName().toString().replace(".java", "")));
			JavacTask task = (JavacTask) compiler.getTask(null, manager, null, null, null,
					manager.getJavaFileObjectsFromPaths(sources));
			task.parse().forEach((unit) -> unit.accept(new Scanner(), null));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean matches(String text, int from, String template, int at) {
		if (at == template.length()) {
			return from == text.length();
		}
		if (template.charAt(at) != HOLE) {
			int end = template.indexOf(HOLE, at);
			String literal = template.substring(at, (end < 0) ? template.length() : end);
			return text.startsWith(literal, from)
					&& matches(text, from + literal.length(), template, at + literal.length());
		}
		// Only an addition at the end may be missing
		for (int end = (at < template.length() - 1) ? from + 1 : from; end <= text.length(); end++) {
			if (matches(text, end, template, at + 1) && isKnown(text.substring(from, end))) {
				return true;
			}
		}
		return false;
	}

	private boolean isKnown(String value) {
		Boolean before = this.known.get(value);
		if (before == null) {
			before = PLACEHOLDER.matcher(value).matches() || this.words.contains(value)
					|| this.templates.stream()
						.filter((template) -> template.chars().anyMatch((character) -> character != HOLE))
						.anyMatch((template) -> matches(value, 0, template, 0));
			this.known.put(value, before);
		}
		return before;
	}

	/**
	 * Collects the literals of one source.
	 */
	private final class Scanner extends TreeScanner<Void, Void> {

		@Override
		public Void visitBinary(BinaryTree tree, Void unused) {
			List<ExpressionTree> operands = new ArrayList<>();
			flatten(tree, operands);
			if (operands.stream().noneMatch(Scanner::isText)) {
				return super.visitBinary(tree, null);
			}
			StringBuilder template = new StringBuilder();
			for (ExpressionTree operand : operands) {
				if (isText(operand)) {
					template.append(((LiteralTree) operand).getValue());
				}
				else {
					template.append(HOLE);
					operand.accept(this, null);
				}
			}
			add(template.toString());
			return null;
		}

		@Override
		public Void visitLiteral(LiteralTree tree, Void unused) {
			if (tree.getKind() == Tree.Kind.STRING_LITERAL) {
				add((String) tree.getValue());
			}
			return null;
		}

		private void add(String literal) {
			Matcher specifier = SPECIFIER.matcher(literal);
			String template = specifier.replaceAll(Matcher.quoteReplacement(String.valueOf(HOLE)));
			if (template.indexOf(HOLE) < 0) {
				MessageTemplates.this.words.add(template);
			}
			MessageTemplates.this.templates.add(template);
		}

		private static void flatten(ExpressionTree tree, List<ExpressionTree> operands) {
			if (tree instanceof ParenthesizedTree parentheses) {
				flatten(parentheses.getExpression(), operands);
			}
			else if (tree instanceof BinaryTree binary && binary.getKind() == Tree.Kind.PLUS) {
				flatten(binary.getLeftOperand(), operands);
				flatten(binary.getRightOperand(), operands);
			}
			else {
				operands.add(tree);
			}
		}

		private static boolean isText(ExpressionTree tree) {
			return tree.getKind() == Tree.Kind.STRING_LITERAL || tree.getKind() == Tree.Kind.CHAR_LITERAL;
		}

	}

}
