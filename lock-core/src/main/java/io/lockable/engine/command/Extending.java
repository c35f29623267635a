package io.lockable.engine.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.Internal;
import io.lockable.store.LeaseRequest;

/**
 * An extension to be sent.
 *
 * @param request what to send
 * @param answer completed with the answer of the store
 * @param applied completes with the answer, after that has taken effect here
 */
@Internal
public record Extending(LeaseRequest request, CompletableFuture<Boolean> answer, CompletionStage<Boolean> applied) {

}
