package io.parley.examples;

import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * Derives unguessable pipe ids from an identity and files. The same identity and files give the same id, so a ticket is
 * secret and remains valid after a restart. The id is the hash of a signature, which is deterministic and which only the
 * owner of the identity can create.
 */
final class SecretPipeIds {

    private SecretPipeIds() {}

    static PipeId of(Identity identity, String purpose, List<Path> files) {
        StringBuilder subject = new StringBuilder("parley pipe for ").append(purpose);
        files.forEach(file -> subject.append('\0').append(file.toAbsolutePath().normalize()));
        byte[] signature = identity.sign(subject.toString().getBytes(StandardCharsets.UTF_8));
        byte[] group = GroupId.NET.toByteArray();
        byte[] id = Arrays.copyOf(group, PipeId.BYTES);
        System.arraycopy(sha256(signature), 0, id, group.length, PipeId.BYTES - group.length);
        return PipeId.ofBytes(id);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
