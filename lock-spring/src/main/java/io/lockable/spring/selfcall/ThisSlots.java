package io.lockable.spring.selfcall;

import java.util.BitSet;

/**
 * Tracks which slots of the operand stack and the local variables of an instance method
 * are {@code this}. A pop from an empty stack is no error, because unknown byte code must
 * not fail application startup.
 */
final class ThisSlots {

	private BitSet slots = new BitSet();

	private int size;

	private BitSet variables = new BitSet();

	ThisSlots() {
		this.variables.set(0);
	}

	/**
	 * Moves a value from the stack to a variable.
	 * @param variable the first slot of the variable
	 * @param count the number of slots of the value
	 */
	void store(int variable, int count) {
		boolean isThis = pop(count);
		this.variables.set(variable, variable + count, isThis);
	}

	/**
	 * Pushes a variable of one slot.
	 * @param variable its slot
	 */
	void load(int variable) {
		push(1, this.variables.get(variable));
	}

	void push(int count, boolean isThis) {
		this.slots.set(this.size, this.size + count, isThis);
		this.size += count;
	}

	/**
	 * Pops slots.
	 * @param count the number of slots
	 * @return whether the lowest of them is {@code this}
	 */
	boolean pop(int count) {
		this.size = Math.max(0, this.size - count);
		boolean isThis = count > 0 && this.slots.get(this.size);
		this.slots.clear(this.size, Math.max(this.size, this.slots.length()));
		return isThis;
	}

	/**
	 * Replaces slots at the top by others, none of which counts as {@code this}.
	 * @param count the number of slots to pop
	 * @param by the number of slots to push
	 */
	void replace(int count, int by) {
		pop(count);
		push(by, false);
	}

	/**
	 * Merges another path to the same place: a slot stays {@code this} only if it is on
	 * both paths.
	 * @param other the slots of the other path
	 */
	void meet(ThisSlots other) {
		this.slots.and(other.slots);
		this.variables.and(other.variables);
	}

	ThisSlots copy() {
		ThisSlots copy = new ThisSlots();
		copy.slots = (BitSet) this.slots.clone();
		copy.variables = (BitSet) this.variables.clone();
		copy.size = this.size;
		return copy;
	}

}
