package io.parley.codec.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.BorrowScope;
import io.parley.message.Message;

/** Encodes and decodes the binary format. Stateless and thread-safe. */
final class BinaryCodecSession implements CodecSession {
    /** The cost of a message that is decoded in less than a millisecond: a mebibyte of strings, or 4096 elements without strings. */
    static final int MAX_QUICK_COST = 1024 * 1024;

    private final MessageLimits limits;

    BinaryCodecSession(MessageLimits limits) {
        this.limits = limits;
    }

    @Override
    public long encodedSize(Message message) {
        return BinaryMessageLayout.of(message, limits).size();
    }

    @Override
    public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
        BinaryMessageLayout layout = BinaryMessageLayout.of(message, limits);
        WireOutput out = new WireOutput(message, layout.size(), headroom, allocator);
        try {
            write(message, layout, out);
        } catch (RuntimeException | Error e) {
            out.release();
            throw e;
        }
        return out.finish();
    }

    @Override
    public boolean tryEncode(Message message, ByteBuf out, int maxBytes) {
        BinaryMessageLayout layout = BinaryMessageLayout.of(message, limits);
        if (layout.size() > maxBytes) {
            return false;
        }
        if (out.nioBufferCount() == 1) {
            WireOutput output = new WireOutput(out.ensureWritable(layout.size()), layout.size());
            write(message, layout, output);
            output.finish();
        } else {
            appendCopy(message, out);
        }
        return true;
    }

    private void appendCopy(Message message, ByteBuf out) {
        ByteBuf encoded = encode(message, 0, out.alloc());
        try {
            out.writeBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    private static void write(Message message, BinaryMessageLayout layout, WireOutput out) {
        if (layout.version() == BinaryFormat.VERSION_0) {
            WireVersion0Writer.write(message, layout.table(), out);
        } else {
            WireVersion1Writer.write(message, layout.table(), out);
        }
    }

    /** The content of an element is not read, so a message with few elements is decoded quickly. */
    @Override
    public boolean decodesQuickly(ByteBuf encoded) {
        return WireVersion0Reader.costsAtMost(MAX_QUICK_COST, encoded, limits);
    }

    @Override
    public Message decode(ByteBuf encoded) {
        int length = checkedLength(encoded);
        if (encoded.hasArray()) {
            int start = encoded.arrayOffset() + encoded.readerIndex();
            return decode(new ArrayWireInput(encoded.array(), start, length, limits));
        }
        byte[] bytes = new byte[length];
        encoded.getBytes(encoded.readerIndex(), bytes);
        return decode(new ArrayWireInput(bytes, 0, length, limits));
    }

    @Override
    public Message decodeBorrowed(ByteBuf encoded, BorrowScope scope) {
        checkedLength(encoded);
        return decode(new BorrowedWireInput(encoded, scope, limits));
    }

    private int checkedLength(ByteBuf encoded) {
        int length = encoded.readableBytes();
        if (length > limits.maxMessageBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("binary message: " + length
                    + " bytes (expected: <= maxMessageBytes " + limits.maxMessageBytes() + ")");
        }
        return length;
    }

    private Message decode(WireInput in) {
        in.magic(BinaryFormat.MESSAGE_MAGIC, "message");
        int version = in.u8("version");
        return switch (version) {
            case BinaryFormat.VERSION_0 -> WireVersion0Reader.read(in, limits);
            case BinaryFormat.VERSION_1 -> WireVersion1Reader.read(in, limits);
            default -> throw in.malformed("version: " + version + " (expected: 0 or 1)");
        };
    }
}
