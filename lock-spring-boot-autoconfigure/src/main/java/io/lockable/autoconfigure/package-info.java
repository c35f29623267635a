package io.lockable.autoconfigure;
