package io.lockable.architecture;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The Markdown files of the project.
 */
final class Documents {

	static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

	private Documents() {
	}

	/**
	 * Returns README.md, the other pages of the root, docs/*.md and docs/guides/*.md.
	 * @return the paths
	 * @throws IOException if a folder cannot be read
	 */
	static List<Path> all() throws IOException {
		List<Path> pages = new ArrayList<>();
		for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("docs/guides"))) {
			try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.md")) {
				files.forEach(pages::add);
			}
		}
		return pages;
	}

}
