package io.lockable.campaign.report;

import java.util.List;

import io.lockable.campaign.worker.Report;

/**
 * The state of the workers of a soak and their server at one moment.
 *
 * @param seconds the time since the start
 * @param workers the report of each worker
 * @param keys the number of keys in Redis
 * @param clients the number of connections to Redis
 * @param memory the bytes that Redis uses
 */
public record SoakSample(double seconds, List<Report> workers, long keys, long clients, long memory) {
}
