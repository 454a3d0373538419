package io.parley.bench.grpc;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The unary method, whose messages are byte arrays: nothing is parsed. */
final class EchoMethod implements MethodDescriptor.Marshaller<byte[]> {

    static final String SERVICE = "bench.Echo";

    static final MethodDescriptor<byte[], byte[]> DESCRIPTOR = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "echo"))
            .setRequestMarshaller(new EchoMethod())
            .setResponseMarshaller(new EchoMethod())
            .build();

    @Override
    public InputStream stream(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
