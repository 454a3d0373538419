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
 * Ids of pipes that nobody else can guess and that are the same whenever the same identity offers the same files: what
 * makes a ticket secret, and valid again after a restart. They follow from a signature, which is deterministic and which
 * only the identity's owner can make.
 */
final class SecretPipeIds {

    private SecretPipeIds() {}

    static PipeId of(Identity identity, String purpose, List<Path> files) {
        StringBuilder what = new StringBuilder("parley pipe for ").append(purpose);
        files.forEach(file -> what.append('\0').append(file.toAbsolutePath().normalize()));
        byte[] signature = identity.sign(what.toString().getBytes(StandardCharsets.UTF_8));
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
