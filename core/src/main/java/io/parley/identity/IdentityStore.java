package io.parley.identity;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Keeps an identity in a peer's home directory, as the PEM file {@value #FILE_NAME}. The file is the peer: who has a copy
 * can act as this peer, and when it is lost, so is the peer id.
 *
 * <p>The file is readable by its owner only from its first byte on and appears whole or not at all. An existing one is
 * never overwritten, not even a damaged one. Where one that others can read is found, a warning is logged and their
 * permission taken away.
 *
 * <p>The methods read and write files, so they block.
 */
final class IdentityStore {
    /** The name of the file in the home directory. */
    static final String FILE_NAME = "identity.pem";

    private IdentityStore() {}

    /**
     * The identity of the peer with this home directory. A peer's first start makes directory and identity; of several
     * processes that do so at once all get the same identity.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_UNREADABLE} when the file is damaged or can't be read, or
     *     when there is none and it can't be written; the message says what to do
     */
    static Identity loadOrCreate(Path home) {
        return loadOrCreate(home, new SecureRandom());
    }

    /** Same, with a new identity made from {@code random}. */
    static Identity loadOrCreate(Path home, SecureRandom random) {
        Path directory = directory(home);
        try {
            return read(directory.resolve(FILE_NAME));
        } catch (NoSuchFileException e) {
            create(directory, Identity.generate(random));
        }
        // Whether this process or another was first, the file now tells.
        return load(home);
    }

    /**
     * The identity of the peer with this home directory.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_UNREADABLE} when there is none, when it is damaged or can't
     *     be read; the message says what to do
     */
    static Identity load(Path home) {
        Path file = directory(home).resolve(FILE_NAME);
        try {
            return read(file);
        } catch (NoSuchFileException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "there is no identity at " + file + ": is this the home directory of a peer?", e);
        }
    }

    private static Path directory(Path home) {
        return home.toAbsolutePath().normalize();
    }

    private static Identity read(Path file) throws NoSuchFileException {
        try {
            return IdentityPem.decode(IdentityFile.read(file));
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "can't read the identity at " + file + " (" + describe(e)
                            + "): let the user that runs the peer read this file",
                    e);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "the identity at " + file + " is not usable, " + e.getMessage()
                            + ": restore the file from a backup, or move it away to start as a new peer",
                    e);
        }
    }

    private static void create(Path directory, Identity identity) {
        try {
            IdentityFile.create(directory, FILE_NAME, IdentityPem.encode(identity));
        } catch (IOException e) {
            throw ErrorCode.IDENTITY_UNREADABLE.exception(
                    "can't write a new identity to " + directory + " (" + describe(e)
                            + "): let the user that runs the peer write there, or choose another home directory",
                    e);
        }
    }

    private static String describe(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
