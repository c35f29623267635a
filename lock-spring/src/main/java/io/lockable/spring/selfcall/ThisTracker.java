package io.lockable.spring.selfcall;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ConstantDynamic;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Reads the byte code of one instance method, and reports the methods that it calls on
 * {@code this}.
 *
 * <p>
 * The receiver of a call is pushed long before the call, because the arguments follow it.
 * The tracker therefore follows which slots of the operand stack and the local variables
 * are {@code this}. Jumps carry the slots to their targets. Where paths meet, a slot is
 * {@code this} only if it is on all of them.
 */
final class ThisTracker extends MethodVisitor {

	private final Map<Label, ThisSlots> targets = new HashMap<>();

	private final Calls calls;

	private ThisSlots slots = new ThisSlots();

	private boolean reachable = true;

	ThisTracker(Calls calls) {
		super(SpringAsmInfo.ASM_VERSION);
		this.calls = calls;
	}

	@Override
	public void visitInsn(int opcode) {
		switch (opcode) {
			// No compiler calls a method on a duplicate of this
			case Opcodes.DUP -> this.slots.replace(1, 2);
			case Opcodes.DUP_X1 -> this.slots.replace(2, 3);
			case Opcodes.DUP_X2 -> this.slots.replace(3, 4);
			case Opcodes.DUP2_X1 -> this.slots.replace(3, 5);
			case Opcodes.DUP2 -> this.slots.replace(2, 4);
			case Opcodes.DUP2_X2 -> this.slots.replace(4, 6);
			case Opcodes.SWAP -> this.slots.replace(2, 2);
			default -> {
				int delta = delta(opcode);
				this.slots.replace(Math.max(0, -delta), Math.max(0, delta));
				this.reachable = !(opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) && opcode != Opcodes.ATHROW;
			}
		}
	}

	// The operands of these are never this, so the remaining slots can stand for their
	// results
	private static int delta(int opcode) {
		return switch (opcode) {
			case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> 2;
			case Opcodes.ACONST_NULL, Opcodes.ICONST_M1, Opcodes.ICONST_0, Opcodes.ICONST_1, Opcodes.ICONST_2,
					Opcodes.ICONST_3, Opcodes.ICONST_4, Opcodes.ICONST_5, Opcodes.FCONST_0, Opcodes.FCONST_1,
					Opcodes.FCONST_2, Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D ->
				1;
			case Opcodes.IALOAD, Opcodes.FALOAD, Opcodes.AALOAD, Opcodes.BALOAD, Opcodes.CALOAD, Opcodes.SALOAD,
					Opcodes.POP, Opcodes.IADD, Opcodes.FADD, Opcodes.ISUB, Opcodes.FSUB, Opcodes.IMUL, Opcodes.FMUL,
					Opcodes.IDIV, Opcodes.FDIV, Opcodes.IREM, Opcodes.FREM, Opcodes.ISHL, Opcodes.LSHL, Opcodes.ISHR,
					Opcodes.LSHR, Opcodes.IUSHR, Opcodes.LUSHR, Opcodes.IAND, Opcodes.IOR, Opcodes.IXOR, Opcodes.L2I,
					Opcodes.L2F, Opcodes.D2I, Opcodes.D2F, Opcodes.FCMPL, Opcodes.FCMPG, Opcodes.MONITORENTER,
					Opcodes.MONITOREXIT ->
				-1;
			case Opcodes.POP2, Opcodes.LADD, Opcodes.DADD, Opcodes.LSUB, Opcodes.DSUB, Opcodes.LMUL, Opcodes.DMUL,
					Opcodes.LDIV, Opcodes.DDIV, Opcodes.LREM, Opcodes.DREM, Opcodes.LAND, Opcodes.LOR, Opcodes.LXOR ->
				-2;
			case Opcodes.IASTORE, Opcodes.FASTORE, Opcodes.AASTORE, Opcodes.BASTORE, Opcodes.CASTORE, Opcodes.SASTORE,
					Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG ->
				-3;
			case Opcodes.LASTORE, Opcodes.DASTORE -> -4;
			default -> 0;
		};
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		if (opcode != Opcodes.NEWARRAY) {
			this.slots.push(1, false);
		}
	}

	@Override
	public void visitVarInsn(int opcode, int index) {
		switch (opcode) {
			case Opcodes.ALOAD -> this.slots.load(index);
			case Opcodes.ILOAD, Opcodes.FLOAD -> this.slots.push(1, false);
			case Opcodes.LLOAD, Opcodes.DLOAD -> this.slots.push(2, false);
			case Opcodes.LSTORE, Opcodes.DSTORE -> this.slots.store(index, 2);
			case Opcodes.ISTORE, Opcodes.FSTORE, Opcodes.ASTORE -> this.slots.store(index, 1);
			default -> {
			}
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		if (opcode == Opcodes.NEW) {
			this.slots.push(1, false);
		}
		else if (opcode != Opcodes.CHECKCAST) {
			this.slots.replace(1, 1);
		}
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> this.slots.push(size, false);
			case Opcodes.PUTSTATIC -> this.slots.pop(size);
			case Opcodes.GETFIELD -> this.slots.replace(1, size);
			default -> this.slots.pop(size + 1);
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		// The size counts a receiver
		this.slots.pop((Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1);
		if (opcode != Opcodes.INVOKESTATIC && this.slots.pop(1)) {
			this.calls.called(name, descriptor, opcode == Opcodes.INVOKESPECIAL);
		}
		this.slots.push(Type.getReturnType(descriptor).getSize(), false);
	}

	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		// The receiver is the first value that a method reference captures
		boolean captured = this.slots.pop((Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1);
		for (Object argument : arguments) {
			if (captured && argument instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
				this.calls.called(handle.getName(), handle.getDesc(), false);
			}
		}
		this.slots.push(Type.getReturnType(descriptor).getSize(), false);
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		switch (opcode) {
			case Opcodes.GOTO -> {
			}
			case Opcodes.IF_ICMPEQ, Opcodes.IF_ICMPNE, Opcodes.IF_ICMPLT, Opcodes.IF_ICMPGE, Opcodes.IF_ICMPGT,
					Opcodes.IF_ICMPLE, Opcodes.IF_ACMPEQ, Opcodes.IF_ACMPNE ->
				this.slots.pop(2);
			default -> this.slots.pop(1);
		}
		jumpsTo(label);
		this.reachable = opcode != Opcodes.GOTO;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label defaultLabel, Label... labels) {
		visitSwitch(defaultLabel, labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label defaultLabel, int[] keys, Label[] labels) {
		visitSwitch(defaultLabel, labels);
	}

	private void visitSwitch(Label defaultLabel, Label[] labels) {
		this.slots.pop(1);
		jumpsTo(defaultLabel);
		for (Label label : labels) {
			jumpsTo(label);
		}
		this.reachable = false;
	}

	@Override
	public void visitLabel(Label label) {
		ThisSlots target = this.targets.get(label);
		if (!this.reachable) {
			this.slots = (target != null) ? target.copy() : new ThisSlots();
		}
		else if (target != null) {
			this.slots.meet(target);
		}
		this.reachable = true;
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		ThisSlots thrown = new ThisSlots();
		thrown.push(1, false);
		this.targets.put(handler, thrown);
	}

	@Override
	public void visitLdcInsn(Object value) {
		boolean wide = value instanceof Long || value instanceof Double
				|| (value instanceof ConstantDynamic constant && constant.getSize() == 2);
		this.slots.push(wide ? 2 : 1, false);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		this.slots.replace(dimensions, 1);
	}

	private void jumpsTo(Label label) {
		ThisSlots target = this.targets.putIfAbsent(label, this.slots.copy());
		if (target != null) {
			target.meet(this.slots);
		}
	}

	/**
	 * Receives each call on {@code this}.
	 */
	interface Calls {

		void called(String name, String descriptor, boolean special);

	}

}
