package io.lockable.spring.metadata;

import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.annotation.ScheduledLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AnnotatedTypes}.
 */
class AnnotatedTypesTests {

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnClass.class, Composed.class, ComposedTwice.class, Repeated.class,
			RepeatedAndComposed.class, OnInterface.class, OfSuperclass.class, OfSuperclassOfInterface.class })
	void findsTheAnnotationWhereverItStands(Class<?> type) {
		assertThat(AnnotatedTypes.isAnnotated(type)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, String.class, OtherAnnotations.class, OtherContainer.class })
	void findsNothingWhereThereAreNoneOrOthers(Class<?> type) {
		assertThat(AnnotatedTypes.isAnnotated(type)).isFalse();
	}

	static class OnMethod {

		@DistributedLockable(key = "1")
		void locked() {
		}

	}

	@DistributedLockable(key = "1")
	static class OnClass {

	}

	static class Composed {

		@ScheduledLock(key = "1")
		void locked() {
		}

	}

	static class ComposedTwice {

		@Nightly
		void locked() {
		}

	}

	static class Repeated {

		@DistributedLockable(key = "1")
		@DistributedLockable(key = "2")
		void locked() {
		}

	}

	static class RepeatedAndComposed {

		@Guarded
		@Guarded
		void locked() {
		}

	}

	interface Locking {

		@DistributedLockable(key = "1")
		void locked();

	}

	static class OnInterface implements Locking {

		@Override
		public void locked() {
		}

	}

	static class OfSuperclass extends OnMethod {

	}

	static class OfSuperclassOfInterface extends OnInterface {

	}

	@Retained
	static class OtherAnnotations {

		@Retained
		void unlocked() {
		}

	}

	static class OtherContainer {

		@Plain
		@Plain
		void unlocked() {
		}

	}

	@Guarded
	@Retention(RetentionPolicy.RUNTIME)
	@interface Nightly {

	}

	@DistributedLockable(key = "1")
	@Repeatable(Guards.class)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Guarded {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Guards {

		Guarded[] value();

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Retained {

	}

	@Repeatable(Plains.class)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Plain {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Plains {

		Plain[] value();

	}

}
