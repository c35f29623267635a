package io.lockable.campaign.report;

import java.util.List;

import io.lockable.campaign.worker.Report;

/**
 * What the workers of a soak and their server have at a moment.
 *
 * @param seconds the time since the start
 * @param workers what each worker has
 * @param keys how many keys Redis has
 * @param clients how many connections Redis has
 * @param memory the bytes that Redis uses
 */
public record SoakSample(double seconds, List<Report> workers, long keys, long clients, long memory) {
}
