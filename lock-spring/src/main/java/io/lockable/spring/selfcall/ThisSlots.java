package io.lockable.spring.selfcall;

import java.util.BitSet;

/**
 * The operand stack and the local variables of an instance method as the byte code fills
 * them, as to which slots are {@code this}. Popping what is not there is no error: byte
 * code that is not understood must not keep an application from starting.
 */
final class ThisSlots {

	private BitSet slots = new BitSet();

	private int size;

	private BitSet variables = new BitSet();

	ThisSlots() {
		this.variables.set(0);
	}

	/**
	 * Takes a value from the stack into a variable.
	 * @param variable the first slot of the variable
	 * @param count how many slots the value has
	 */
	void store(int variable, int count) {
		boolean isThis = pop(count);
		this.variables.set(variable, variable + count, isThis);
	}

	/**
	 * Puts a variable of one slot on the stack.
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
	 * Takes slots from the top.
	 * @param count how many
	 * @return whether the lowest of them is {@code this}
	 */
	boolean pop(int count) {
		this.size = Math.max(0, this.size - count);
		boolean isThis = count > 0 && this.slots.get(this.size);
		this.slots.clear(this.size, Math.max(this.size, this.slots.length()));
		return isThis;
	}

	/**
	 * Replaces slots at the top by others. None of them counts as {@code this}.
	 * @param count how many to take
	 * @param by how many to put
	 */
	void replace(int count, int by) {
		pop(count);
		push(by, false);
	}

	/**
	 * Keeps as {@code this} only what is so on another way to the same place.
	 * @param other the slots of the other way
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
