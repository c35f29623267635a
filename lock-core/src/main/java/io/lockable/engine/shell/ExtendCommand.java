package io.lockable.engine.shell;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.store.LockStore.LeaseRequest;

/**
 * An extension to send.
 *
 * @param request the request
 * @param answer completed with the answer of the store
 * @param applied completes with the answer, after it has taken effect locally
 */
record ExtendCommand(LeaseRequest request, CompletableFuture<Boolean> answer, CompletionStage<Boolean> applied) {

}
