package com.example.jobs;

public interface Reports {

	// Replaces an earlier report of the same day.
	void create();

}
