package com.example.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

@Service
public class Catalog {

	private final Path file;

	public Catalog(@Value("${catalog.file}") Path file) {
		this.file = file;
	}

	@DistributedLockable(key = "catalog", type = LockType.READ, waitTime = 5)
	public List<String> read() throws IOException {
		return Files.readAllLines(this.file);
	}

	@DistributedLockable(key = "catalog", type = LockType.WRITE, waitTime = 60)
	public void replace(List<String> articles) throws IOException {
		Files.write(this.file, articles);
	}

}
