package io.lockable.autoconfigure.aop

import io.lockable.DistributedLockable
import io.lockable.LockContext
import io.lockable.OnFailure
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield

/**
 * Suspending functions with a lock, for [SuspendingTests].
 */
open class Suspending {

	open val started = CompletableDeferred<Unit>()

	open val mayEnd = CompletableDeferred<Unit>()

	@DistributedLockable(key = ["#id"])
	open suspend fun work(id: String): String {
		this.started.complete(Unit)
		this.mayEnd.await()
		return "done"
	}

	@DistributedLockable(key = ["#id"])
	open suspend fun fail(id: String): String {
		yield()
		throw IllegalStateException("broken")
	}

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open suspend fun skip(id: String): String? {
		yield()
		return "done"
	}

	@DistributedLockable(key = ["#id"])
	open suspend fun token(id: String): Long {
		yield()
		return currentCoroutineContext()[ReactorContext]!!.context.get(LockContext::class.java).fencingToken()
	}

	@DistributedLockable(key = ["#id"])
	open fun values(id: String): Flow<Int> = flow {
		emit(1)
		started.complete(Unit)
		mayEnd.await()
		emit(2)
	}

	@DistributedLockable(key = ["#id"])
	open suspend fun outer(id: String, other: Suspending): Long {
		yield()
		return other.token(id)
	}

}

/**
 * Calls them, for tests in Java.
 */
class Caller(private val suspending: Suspending) {

	fun work(id: String): String = runBlocking { suspending.work(id) }

	fun fail(id: String): String = runBlocking { suspending.fail(id) }

	fun skip(id: String): String? = runBlocking { suspending.skip(id) }

	fun token(id: String): Long = runBlocking { suspending.token(id) }

	fun outer(id: String): Long = runBlocking { suspending.outer(id, suspending) }

	fun values(id: String): List<Int> = runBlocking { suspending.values(id).toList() }

	fun cancelWhenStarted(id: String, whileRunning: Runnable) = runBlocking {
		coroutineScope {
			val work: Deferred<String> = async { suspending.work(id) }
			suspending.started.await()
			whileRunning.run()
			work.cancel()
		}
	}

	fun awaitStart() = runBlocking { suspending.started.await() }

	fun letEnd() = suspending.mayEnd.complete(Unit)

}

/**
 * A suspending function whose fallback could not be called.
 */
open class SuspendingWithFallback {

	@DistributedLockable(key = ["#id"], fallback = "instead")
	open suspend fun work(id: String): String = id

	open suspend fun instead(id: String): String = id

}

/**
 * Functions that promise a result, which a skipped call does not have.
 */
open class SkippingNumber {

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open suspend fun work(id: String): Int = id.length

}

open class SkippingText {

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open suspend fun work(id: String): String = id

}

open class SkippingPlainText {

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open fun work(id: String): String = id

}

/**
 * Functions that promise nothing.
 */
open class SkippingNothing {

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open suspend fun work(id: String) = yield()

	@DistributedLockable(key = ["#id"], onFailure = OnFailure.SKIP)
	open fun plain(id: String) {
	}

}
