package io.lockable.autoconfigure.aop

import io.lockable.annotation.DistributedLockable
import io.lockable.LockContext
import io.lockable.LockNotAcquiredException
import io.lockable.annotation.OnFailure
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
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
 * Suspending functions with fallbacks.
 */
open class SuspendingWithFallback {

	@DistributedLockable(key = ["#id"], fallback = "suspendingInstead")
	open suspend fun suspending(id: String): String = "done"

	open suspend fun suspendingInstead(id: String, reason: LockNotAcquiredException): String {
		yield()
		return "$id instead: ${currentCoroutineContext()[CoroutineName]?.name}, ${reason.javaClass.simpleName}"
	}

	@DistributedLockable(key = ["#id"], fallback = "failingInstead")
	open suspend fun failing(id: String): String = "done"

	open suspend fun failingInstead(id: String): String {
		yield()
		throw IllegalStateException("instead of $id")
	}

	@DistributedLockable(key = ["#id"], fallback = "plainInstead")
	open suspend fun plain(id: String): Int = 0

	open fun plainInstead(id: String): Int = id.length

	@DistributedLockable(key = ["#id"], fallback = "nothingInstead")
	open suspend fun nothing(id: String) = yield()

	open fun nothingInstead(id: String, reason: LockNotAcquiredException) {
	}

	@DistributedLockable(key = ["#id"], fallback = "flowInstead")
	open suspend fun values(id: String): Flow<Int> = flowOf(1)

	open fun flowInstead(id: String): Flow<Int> = flowOf(2, 3)

	@DistributedLockable(key = ["#id"], fallback = "otherBean::work")
	open suspend fun ofBean(id: String): String = "done"

}

/**
 * A bean with a lock of its own, whose function is a fallback.
 */
open class OtherBean {

	@DistributedLockable(key = ["other"])
	open suspend fun work(id: String): String {
		yield()
		return "other $id under ${currentCoroutineContext()[ReactorContext]!!.context.get(LockContext::class.java).key()}"
	}

}

/**
 * Fallbacks that cannot replace the function.
 */
open class SuspendingWithOtherResult {

	@DistributedLockable(key = ["#id"], fallback = "instead")
	open suspend fun work(id: String): String = id

	open suspend fun instead(id: String): Int = id.length

}

open class SuspendingWithOtherPlainResult {

	@DistributedLockable(key = ["#id"], fallback = "instead")
	open suspend fun work(id: String): String = id

	open fun instead(id: String): Int = id.length

}

open class SuspendingWithOtherArguments {

	@DistributedLockable(key = ["#id"], fallback = "instead")
	open suspend fun work(id: String): String = id

	open suspend fun instead(id: Int): String = ""

}

open class PlainWithSuspendingFallback {

	@DistributedLockable(key = ["#id"], fallback = "instead")
	open fun work(id: String): String = id

	open suspend fun instead(id: String): String = id

}

/**
 * Calls the functions with fallbacks, for tests in Java.
 */
class FallbackCaller(private val suspending: SuspendingWithFallback) {

	fun suspending(id: String): String = runBlocking(CoroutineName("caller")) { suspending.suspending(id) }

	fun failing(id: String): String = runBlocking { suspending.failing(id) }

	fun plain(id: String): Int = runBlocking { suspending.plain(id) }

	fun nothing(id: String) = runBlocking { suspending.nothing(id) }

	fun values(id: String): List<Int> = runBlocking { suspending.values(id).toList() }

	fun ofBean(id: String): String = runBlocking { suspending.ofBean(id) }

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
